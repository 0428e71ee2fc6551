import { addAbortSignal, Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { bytesIn } from '../../aws-responses.ts';
import { KIB } from '../../bytes.ts';
import { FairSlots } from '../../fair-slots.ts';
import { bytesOf } from './byte-range.ts';
import type { ByteRange, StoredFile } from './content-store.ts';
import { statusOf } from './s3-failures.ts';
import { MAX_ATTEMPTS, REQUEST_DEADLINE_MS } from './s3-limits.ts';

/** A reader that pauses keeps up to two pieces in memory: one that is being sent, and the next one. */
const PIECE_BYTES = 256 * KIB;
const RANGE_NOT_SATISFIABLE = 416;
/** The error of an object that has more bytes than were requested. */
export const TOO_MANY_BYTES = 'S3 returned more of an object than was requested';

/** An object that is being read, see {@link StoredFile}. */
export type OpenedObject = Pick<StoredFile, 'size' | 'range' | 'lastModified' | 'stream' | 'bytes'>;

/** A piece of an object, or null in place of the bytes if the server ignores ranges: the body is then the whole object. */
interface Piece {
  found: GetObjectCommandOutput;
  bytes: Buffer | null;
}

/**
 * Reads objects in pieces. Each piece has a request of its own, which is sent when the reader needs it. A browser that
 * plays a video pauses for minutes, and would otherwise keep a connection that others need.
 */
export class S3Downloads {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #slots: FairSlots;
  /** What ends each operation in progress. One common signal would keep what depended on it for a while. */
  readonly #inProgress = new Set<AbortController>();

  /** @param connections maximum number of concurrent requests. Others wait in order. */
  constructor({ client, bucket, connections }: { client: S3Client; bucket: string; connections: number }) {
    this.#client = client;
    this.#bucket = bucket;
    this.#slots = new FairSlots(connections, connections);
  }

  /**
   * Opens an object and reads its first piece.
   * @throws {RangeNotSatisfiableError}
   * @throws the SDK's error, such as for an object that does not exist
   */
  async open(name: string, range: ByteRange | undefined): Promise<OpenedObject> {
    // Some servers reject a suffix range that is longer than the file, which means the whole file.
    const asked = range !== undefined && 'suffix' in range ? bytesOf(range, await this.#sizeOf(name)) : range;
    const first = asked?.first ?? 0;
    const end = Math.min(first + PIECE_BYTES - 1, asked?.last ?? Number.POSITIVE_INFINITY);
    const { found, bytes } = await this.#firstPiece(name, range, { first, last: end });
    const lastModified = found.LastModified?.getTime() ?? 0;
    if (bytes === null) {
      const size = found.ContentLength ?? 0;
      return { size, range: null, lastModified, stream: found.Body as Readable, bytes: null };
    }
    const size = sizeIn(found);
    const selected = size === 0 ? null : bytesOf({ ...asked, first }, size);
    const remaining = { first: first + bytes.length, last: selected?.last ?? -1 };
    const isComplete = remaining.first > remaining.last;
    return {
      size,
      range: range === undefined ? null : selected,
      lastModified,
      stream: isComplete
        ? Readable.from([bytes], { objectMode: false })
        : this.#stream(name, bytes, remaining),
      bytes: isComplete ? bytes : null,
    };
  }

  /**
   * Looks an object up. It requests the first byte, because S3 does not respond to a HEAD request with the reason of a failure.
   * @throws as {@link open}
   */
  async find(name: string): Promise<Pick<StoredFile, 'size' | 'lastModified'>> {
    const { found, bytes } = await this.#firstPiece(name, undefined, { first: 0, last: 0 });
    if (bytes === null) (found.Body as Readable).destroy();
    return { size: sizeIn(found), lastModified: found.LastModified?.getTime() ?? 0 };
  }

  /** Ends what is in progress, which then fails. */
  end(): void {
    for (const each of this.#inProgress) each.abort(new Error('the content store was closed'));
  }

  async #firstPiece(
    name: string,
    range: ByteRange | undefined,
    piece: { first: number; last: number },
  ): Promise<Piece> {
    try {
      return await this.#piece(name, piece);
    } catch (error) {
      if (statusOf(error) !== RANGE_NOT_SATISFIABLE) throw error;
      const size = await this.#sizeOf(name);
      if (range !== undefined) bytesOf(range, size);
      // An empty file has no bytes that a range could select.
      return size === 0 ? await this.#piece(name, null) : Promise.reject(error);
    }
  }

  #stream(name: string, start: Buffer, remaining: { first: number; last: number }): Readable {
    const left = new AbortController();
    const pieces = this.#pieces(name, start, remaining, left.signal);
    // Readable.from would wait for the piece that is being read before it ends.
    return new Readable({
      read() {
        pieces.next().then(
          ({ value }) => this.push(value ?? null),
          (error: Error) => this.destroy(error),
        );
      },
      destroy(error, done) {
        left.abort();
        done(error);
      },
    });
  }

  async *#pieces(
    name: string,
    start: Buffer,
    remaining: { first: number; last: number },
    left: AbortSignal,
  ): AsyncGenerator<Buffer> {
    yield start;
    for (let { first } = remaining; first <= remaining.last; first += PIECE_BYTES) {
      const last = Math.min(first + PIECE_BYTES - 1, remaining.last);
      const { bytes } = await this.#piece(name, { first, last }, left);
      if (bytes?.length !== last - first + 1) throw new Error('S3 returned another part of an object');
      yield bytes;
    }
  }

  /** Reads a range, or an object that is empty and so has no range. The connection is free when this resolves, unless the server ignores ranges. */
  async #piece(
    name: string,
    range: { first: number; last: number } | null,
    left?: AbortSignal,
  ): Promise<Piece> {
    return await this.#inTime(async (late) => {
      const signal = left === undefined ? late : AbortSignal.any([late, left]);
      using _slot = await this.#slots.take(signal);
      const request = {
        Bucket: this.#bucket,
        Key: name,
        ...(range === null ? {} : { Range: `bytes=${range.first}-${range.last}` }),
      };
      for (let attempt = 1; ; attempt += 1) {
        const found = await this.#client.send(new GetObjectCommand(request), { abortSignal: signal });
        if (range !== null && found.ContentRange === undefined) return { found, bytes: null };
        try {
          // The SDK does not repeat a request whose connection breaks within the body.
          const body = addAbortSignal(signal, found.Body as Readable);
          const limit = range === null ? 0 : range.last - range.first + 1;
          return { found, bytes: await bytesIn(body, limit, TOO_MANY_BYTES) };
        } catch (error) {
          if (signal.aborted || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    });
  }

  async #sizeOf(name: string): Promise<number> {
    const request = new HeadObjectCommand({ Bucket: this.#bucket, Key: name });
    const { ContentLength = 0 } = await this.#inTime((late) =>
      this.#client.send(request, { abortSignal: late }),
    );
    return ContentLength;
  }

  /** Does work whose signal is aborted at the deadline of a request, and at the end of the store. */
  async #inTime<T>(work: (late: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('S3 did not respond in time')), REQUEST_DEADLINE_MS);
    this.#inProgress.add(late);
    try {
      return await work(late.signal);
    } finally {
      clearTimeout(timer);
      this.#inProgress.delete(late);
    }
  }
}

/** The size of a whole object, of which the response has a part. */
function sizeIn({ ContentRange, ContentLength = 0 }: GetObjectCommandOutput): number {
  return ContentRange === undefined ? ContentLength : Number(/\/(\d+)$/.exec(ContentRange)?.[1]);
}
