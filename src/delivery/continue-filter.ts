import type { Socket } from 'node:net';

/** How many `100 Continue` are passed over before one answer; what comes then is left to the parser to refuse. */
const MAX_CONTINUES = 16;

/** The most bytes that one `100 Continue` may take. */
const MAX_CONTINUE_BYTES = 4_096;

const STATUS_LINE_START = Buffer.from('HTTP/1.1 100');
const END_OF_HEADERS = '\r\n\r\n';
const DIGIT_ZERO = 0x30;
const DIGIT_ONE = 0x31;
const STATUS_OFFSET = 9;

/**
 * Takes `100 Continue` out of what a socket reads before an answer. A client must be able to pass over it even when it
 * did not ask for it (RFC 9110 §15.2), servers and proxies do send it unasked, and undici takes it for a broken answer;
 * it passes over the other informational answers itself.
 */
export class ContinueFilter {
  /** How many were taken out since the last call of {@link beforeAnswer}. */
  skipped = 0;
  /** Whether any byte came since then. */
  began = false;
  #active = false;
  #held: Buffer | null = null;

  constructor(socket: Socket) {
    const read: (size?: number) => Buffer | null = socket.read.bind(socket);
    socket.read = (size?: number) => {
      let chunk = read(size);
      while (this.#active && chunk !== null) {
        this.began = true;
        chunk = this.#withoutContinue(chunk);
        if (chunk !== null) break;
        chunk = read(size);
      }
      return chunk;
    };
  }

  /** A request is about to be written: what is read next is the start of an answer. */
  beforeAnswer(): void {
    this.#active = true;
    this.#held = null;
    this.skipped = 0;
    this.began = false;
  }

  /** What is left of the bytes read so far, or null when more are needed to know. */
  #withoutContinue(chunk: Buffer): Buffer | null {
    // The common case, an answer whose status is not 10x, without any further look.
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
