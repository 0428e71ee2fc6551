import type { Socket } from 'node:net';
import { KIB, MIB } from '../bytes.ts';

/** Maximum number of bytes before the body of a response, and in total. The last chunk may exceed them. */
const MAX_HEAD_BYTES = 64 * KIB;
const MAX_BYTES = MIB;

/** Maximum number of `100 Continue` before a response. The parser refuses any further ones. */
const MAX_CONTINUES = 16;

/** Maximum size of one `100 Continue`. */
const MAX_CONTINUE_BYTES = 4_096;

const STATUS_LINE_START = Buffer.from('HTTP/1.1 100');
const END_OF_HEADERS = '\r\n\r\n';
const DIGIT_ZERO = 0x30;
const DIGIT_ONE = 0x31;
const STATUS_OFFSET = 9;

/** A target sent more bytes than a response may have: an endless status line, header or chunk extension. */
class ResponseTooLongError extends Error {
  override readonly name = 'ResponseTooLongError';
  readonly code = 'RESPONSE_TOO_LONG';

  constructor() {
    super('response is too long');
  }
}

/**
 * Reads a socket for undici. Destroys the socket with {@link ResponseTooLongError} if a response is too long, because
 * undici does not count the bytes that it skips.
 *
 * The reader also removes `100 Continue`. Clients must accept it at any time (RFC 9110 §15.2), and servers and proxies
 * send it unrequested. But undici treats it as an invalid response, while it skips other informational responses.
 */
export class ResponseReader {
  /** The number of `100 Continue` removed since {@link beforeResponse}. */
  skipped = 0;
  /** Whether any byte has arrived since {@link beforeResponse}. */
  began = false;
  #bytes = 0;
  #limit = MAX_HEAD_BYTES;
  #active = false;
  #held: Buffer | null = null;

  constructor(socket: Socket) {
    const read: (size?: number) => Buffer | null = socket.read.bind(socket);
    const readCounted = (size?: number) => {
      const chunk = read(size);
      if (chunk === null) return null;
      if (this.#bytes >= this.#limit) {
        socket.destroy(new ResponseTooLongError());
        return null;
      }
      this.#bytes += chunk.length;
      return chunk;
    };
    socket.read = (size?: number) => {
      let chunk = readCounted(size);
      while (this.#active && chunk !== null) {
        this.began = true;
        chunk = this.#withoutContinue(chunk);
        if (chunk !== null) break;
        chunk = readCounted(size);
      }
      return chunk;
    };
  }

  /** Call this before a request is written: the next bytes are the start of its response. */
  beforeResponse(): void {
    this.#active = true;
    this.#bytes = 0;
    this.#limit = MAX_HEAD_BYTES;
    this.#held = null;
    this.skipped = 0;
    this.began = false;
  }

  /** Call this when the head of the response is complete: from then on, the larger limit applies. */
  beforeBody(): void {
    this.#limit = MAX_BYTES;
  }

  /** The bytes without `100 Continue`, or null if more bytes are needed to decide. */
  #withoutContinue(chunk: Buffer): Buffer | null {
    // The common case: a response whose status is not 10x needs no further check.
    if (this.#held === null && chunk.length > STATUS_LINE_START.length && !mayBeContinue(chunk)) {
      this.#active = false;
      return chunk;
    }
    let bytes = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    while (bytes.length > 0) {
      const compared = Math.min(bytes.length, STATUS_LINE_START.length);
      const matches = bytes.compare(STATUS_LINE_START, 0, compared, 0, compared) === 0;
      const end = matches ? bytes.indexOf(END_OF_HEADERS) : -1;
      const mayEndLater = matches && end === -1 && bytes.length < MAX_CONTINUE_BYTES;
      if (mayEndLater) {
        this.#held = bytes;
        return null;
      }
      if (end === -1 || this.skipped === MAX_CONTINUES) {
        this.#active = false;
        return bytes;
      }
      this.skipped += 1;
      bytes = bytes.subarray(end + END_OF_HEADERS.length);
    }
    return null;
  }
}

function mayBeContinue(chunk: Buffer): boolean {
  return chunk[STATUS_OFFSET] === DIGIT_ONE && chunk[STATUS_OFFSET + 1] === DIGIT_ZERO;
}
