import type { Readable } from 'node:stream';

/**
 * A part of a file, in bytes: from the first to the last, inclusive, or a number of bytes at the end (RFC 9110 section
 * 14.1.2).
 */
export type ByteRange = { first: number; last?: number } | { suffix: number };

/** What is known of a file without reading it. */
export interface FileFacts {
  /** The size of the whole file, in bytes. */
  size: number;
  /** A strong entity tag, in quotes (RFC 9110 section 8.8.3): files never change. */
  etag: string;
  /** Epoch milliseconds. */
  lastModified: number;
}

/** A file that is being read. If there are no `bytes`, the caller must read the stream to its end or destroy it. */
export interface StoredFile extends FileFacts {
  /** The range that the stream returns, inclusive. Null if it returns the whole file. */
  range: { first: number; last: number } | null;
  stream: Readable;
  /** The content of the stream, if it is small and has already been read. The stream can then be ignored. */
  bytes: Buffer | null;
}

/** The range contains no byte of the file: status 416, with the size. */
export class RangeNotSatisfiableError extends Error {
  override name = 'RangeNotSatisfiableError';
  readonly size: number;

  constructor(size: number) {
    super(`no byte of the file is in the range: it has ${size} bytes`);
    this.size = size;
  }
}

/**
 * Keeps the files of course versions by keys (see {@link newContentKey}). The files of a key can be read once its
 * version is recorded in the database, which happens after `put` has resolved. They never change. Files under a key
 * that no version has are orphans once the key is old.
 *
 * Every operation fails with a {@link ProblemError} `unavailable` while the store cannot be reached. Disposing of the store
 * ends its requests in progress, which then fail. It may be repeated.
 */
export interface ContentStore extends AsyncDisposable {
  /** Where the files are, for people. */
  readonly location: string;
  /** Maximum length of a file's path in UTF-8. */
  readonly maxPathBytes: number;
  /**
   * Moves a folder with everything in it into the store. When this resolves, it survives a power failure. If it fails,
   * parts may have been stored, which `remove` removes. @throws the reason of `signal`
   */
  put(key: string, stagedFolder: string, signal: AbortSignal): Promise<void>;
  /** Removes the files of a key, even if they are incomplete. An unknown key is not an error. */
  remove(key: string): Promise<void>;
  /**
   * Opens a file. Null if there is no file with that path, or if the path could lead outside.
   * @param path with `/` between its segments, decoded, relative
   * @throws {RangeNotSatisfiableError}
   */
  read(key: string, path: string, range?: ByteRange): Promise<StoredFile | null>;
  /** Looks a file up without reading it. Null as for `read`. */
  find(key: string, path: string): Promise<FileFacts | null>;
  /** The paths of all files under a key, in no order. Empty for an unknown key. */
  files(key: string): AsyncIterable<string>;
  /** Whether there are files under a key. */
  has(key: string): Promise<boolean>;
  /** Every key that has files, even incomplete ones. Some may appear twice. */
  keys(): AsyncIterable<string>;
  /** The installation that the store belongs to, as `claim` wrote it, or null. */
  owner(): Promise<string | null>;
  /** Writes the owner of the store unless it already has one, and returns the owner. */
  claim(installation: string): Promise<string>;
  /**
   * From now on, the store is unavailable while it does not belong to this installation: a share may have been unmounted
   * from its folder. On S3, this applies to `keys` alone.
   */
  expectOwner(installation: string): void;
  /** Resolves if files can be reached. */
  ping(): Promise<void>;
}
