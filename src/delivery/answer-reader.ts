import type { Socket } from 'node:net';

/** How many bytes may come before the body of an answer, and how many in all; the last chunk read may exceed them. */
const MAX_HEAD_BYTES = 64 * 1_024;
const MAX_BYTES = 1_024 * 1_024;

/** How many `100 Continue` are skipped before one answer; the parser refuses any further ones. */
const MAX_CONTINUES = 16;

/** The most bytes that one `100 Continue` may take. */
const MAX_CONTINUE_BYTES = 4_096;

const STATUS_LINE_START = Buffer.from('HTTP/1.1 100');
const END_OF_HEADERS = '\r\n\r\n';
const DIGIT_ZERO = 0x30;
const DIGIT_ONE = 0x31;
const STATUS_OFFSET = 9;

/** A target sent more bytes than an answer may have: an endless status line, header or chunk extension. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';
  readonly code = 'ANSWER_TOO_LONG';

  constructor() {
    super('answer is too long');
  }
}

/**
 * Stands between a socket and undici. It destroys the socket when an answer gets too long, with {@link AnswerTooLongError},
 * since undici does not count what it skips.
 *
 * It also removes `100 Continue`. Clients have to accept it unasked (RFC 9110 §15.2), and servers and proxies do send
 * it unasked, but undici takes it for a broken answer. undici skips the other informational answers itself.
 */
export class AnswerReader {
  /** How many `100 Continue` were removed since the last call of {@link beforeAnswer}. */
  skipped = 0;
  /** Whether any byte came since then. */
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
        socket.destroy(new AnswerTooLongError());
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

  /** Called before a request is written: the next bytes read are the start of an answer. */
  beforeAnswer(): void {
    this.#active = true;
    this.#bytes = 0;
    this.#limit = MAX_HEAD_BYTES;
    this.#held = null;
    this.skipped = 0;
    this.began = false;
  }

  /** Called when the head of the answer is complete: from here on, the larger limit applies. */
  beforeBody(): void {
    this.#limit = MAX_BYTES;
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
