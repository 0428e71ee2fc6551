import type { Readable } from 'node:stream';

/** A part of a file, in bytes: from the first to the last, both included, or so many at the end (RFC 9110 section 14.1.2). */
export type ByteRange = { first: number; last?: number } | { suffix: number };

/** A file that is being read. Without `bytes`, whoever asked for it reads the stream to its end or destroys it. */
export interface StoredFile {
  /** Of the whole file, in bytes. */
  size: number;
  /** What the stream gives of it; both included. Null when it gives the whole file. */
  range: { first: number; last: number } | null;
  /** A strong entity tag, in quotes (RFC 9110 section 8.8.3): files never change. */
  etag: string;
  /** Epoch milliseconds. */
  lastModified: number;
  stream: Readable;
  /** All that the stream gives, where that is little and was read already; the stream may then be left alone. */
  bytes: Buffer | null;
}

/** A range that holds no byte of the file: status 416, with the size. */
export class RangeNotSatisfiableError extends Error {
  override name = 'RangeNotSatisfiableError';
  readonly size: number;

  constructor(size: number) {
    super(`no byte of the file is in the range: it has ${size} bytes`);
    this.size = size;
  }
}

/**
 * Keeps the files of course versions by keys (see {@link newContentKey}). What a key names is there for readers from
 * the moment its version is recorded in the database, which is after `put` has resolved; it never changes. What lies
 * under a key that no version has, whole or in part, is an orphan once the key is old.
 *
 * Every operation fails with a {@link ProblemError} `unavailable` while what keeps the files cannot be reached.
 */
export interface ContentStore extends AsyncDisposable {
  /** Where the files are, for people. */
  readonly location: string;
  /**
   * Takes over a folder and everything in it. When this resolves, it survives a power cut. When it fails, parts may be
   * there, which `remove` takes away. @throws the reason of `signal`
   */
  put(key: string, stagedFolder: string, signal: AbortSignal): Promise<void>;
  /** Removes what is there, whole or in part; a key that names nothing is no error. */
  remove(key: string): Promise<void>;
  /**
   * Opens a file, or answers null when there is none by that path, also for a path that could mean a place outside.
   * @param path with `/` between its segments, decoded, relative
   * @throws {RangeNotSatisfiableError}
   */
  read(key: string, path: string, range?: ByteRange): Promise<StoredFile | null>;
  /** The path of every file under a key, in no order; none for a key that names nothing. */
  files(key: string): AsyncIterable<string>;
  /** True when there is something under a key. */
  has(key: string): Promise<boolean>;
  /** Every key that names something, whole or in part, some perhaps twice. */
  keys(): AsyncIterable<string>;
  /** The installation that the store belongs to, as `claim` wrote it, or null. */
  owner(): Promise<string | null>;
  /** Writes whom the store belongs to, unless that is written already; answers whom it belongs to. */
  claim(installation: string): Promise<string>;
  /** Resolves while files can be reached. */
  ping(): Promise<void>;
}
