import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { KIB, MIB } from '../bytes.ts';
import { STOP_MS } from '../settings/stop-time.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
const TERMINAL = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
/** How long a line may wait to be written together with others. */
const WRITTEN_AFTER_MS = 5;
/** Lines are written early if more characters than this wait. */
const MAX_CHUNK = 64 * KIB;
/** How much waits while standard output accepts nothing. Further lines are dropped. */
const MAX_WAITING = 16 * MIB;
/** Lines are accepted again once only this much waits, so that a slow reader gets few reports of dropped lines. */
const ENOUGH_ROOM = MAX_WAITING / 2;
/**
 * The pause before standard output is tried again: `first` after it has accepted something, then growing up to
 * `longest`.
 */
const RETRY_MS = { first: 1, longest: 100 };
/** At exit, how long a reader that reads nothing, and one that reads slowly, may take. */
const EXIT_MS = { withoutProgress: STOP_MS.log / 2, inAll: STOP_MS.log, between: 1 };

/**
 * Writes lines to standard output and never waits for its reader: a log shipper that hangs must not stop the service.
 * Lines of a few milliseconds are written together, because a write for each would cost as much as formatting it. Lines
 * that standard output does not accept (a full pipe, a full disk) wait in memory, up to a limit. The rest is written at
 * exit, even if the process crashes. Why the process ends is then written to standard error if necessary.
 */
export class StandardOutput {
  readonly #reportDropped: (lines: number) => void;
  readonly #descriptor = nonBlocking(STANDARD_OUTPUT);
  /** Complete chunks that wait, oldest first. The first one may have been written in part. */
  readonly #chunks: Buffer[] = [];
  #chunkBytes = 0;
  /** The newest lines, which follow the chunks. */
  #newest = '';
  /** The lines of level `fatal`. */
  #fatal = '';
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #retryMs = RETRY_MS.first;

  /** @param reportDropped writes a line about the lines that were dropped, once there is room for it. */
  constructor(reportDropped: (lines: number) => void) {
    this.#reportDropped = reportDropped;
    process.on('exit', () => this.#finish());
  }

  /** Writes a line soon. A line of level `fatal` is never dropped. */
  write(line: string, isFatal: boolean): void {
    const waiting = this.#chunkBytes + this.#newest.length;
    if (isFatal) {
      this.#fatal += line;
    } else if (this.#dropped > 0 || (waiting > 0 && waiting + line.length > MAX_WAITING)) {
      this.#dropped += 1;
      return;
    }
    this.#newest += line;
    if (this.#newest.length > MAX_CHUNK) {
      this.#completeChunk();
      this.#writeWaiting();
    }
    this.#writeLater(WRITTEN_AFTER_MS);
  }

  /** Writes now what standard output accepts. The rest follows later. */
  flush(): void {
    this.#writeWaiting();
  }

  get #isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#newest === '';
  }

  #completeChunk(): void {
    if (this.#newest === '') return;
    const chunk = Buffer.from(this.#newest);
    this.#newest = '';
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
  }

  #writeLater(ms: number): void {
    if (this.#timer !== null || this.#isEmpty) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const { accepted } = this.#writeWaiting();
      this.#retryMs = accepted ? RETRY_MS.first : Math.min(2 * this.#retryMs, RETRY_MS.longest);
      this.#writeLater(this.#retryMs);
    }, ms);
    // The process may end: the rest is written at exit.
    this.#timer.unref();
  }

  /** Writes as much as standard output accepts. Returns whether it accepted anything, and whether it is full. */
  #writeWaiting(): { accepted: boolean; isFull: boolean } {
    let accepted = false;
    for (;;) {
      if (this.#chunks.length === 0) this.#completeChunk();
      const [chunk] = this.#chunks;
      if (chunk === undefined) return { accepted, isFull: false };
      let written: number;
      try {
        written = writeSync(this.#descriptor, chunk);
      } catch (error) {
        // There is no other place to report it, and it may be over soon: a full disk, a named pipe without a reader.
        return { accepted, isFull: (error as NodeJS.ErrnoException).code === 'EAGAIN' };
      }
      accepted = true;
      this.#chunkBytes -= written;
      if (written < chunk.length) this.#chunks[0] = chunk.subarray(written);
      else this.#chunks.shift();
      this.#endGap();
    }
  }

  /** Accepts lines again if there is room. A line in place of the dropped ones says how many there were. */
  #endGap(): void {
    if (this.#dropped === 0 || this.#chunkBytes > ENOUGH_ROOM) return;
    const lines = this.#dropped;
    this.#dropped = 0;
    this.#reportDropped(lines);
  }

  /** Writes the rest at exit, when nothing else can wait for the reader. */
  #finish(): void {
    const startedAt = performance.now();
    let acceptedAt = startedAt;
    const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    for (;;) {
      const { accepted, isFull } = this.#writeWaiting();
      const now = performance.now();
      if (accepted) acceptedAt = now;
      if (!isFull || now - acceptedAt > EXIT_MS.withoutProgress || now - startedAt > EXIT_MS.inAll) break;
      Atomics.wait(pause, 0, 0, EXIT_MS.between);
    }
    if (this.#isEmpty || this.#fatal === '') return;
    try {
      writeSync(nonBlocking(STANDARD_ERROR), this.#fatal);
    } catch {
      // There is no other place to report it.
    }
  }
}

/**
 * A descriptor for writing to a standard stream. Writing to a pipe, socket or terminal that is full would block the whole
 * process, and a thread that it blocks cannot be ended. So such a write fails instead.
 */
function nonBlocking(stream: typeof STANDARD_OUTPUT | typeof STANDARD_ERROR): number {
  try {
    // The shell and others use the same terminal. They keep blocking writes, because this opens it again.
    if (isatty(stream)) return openSync(`/proc/self/fd/${stream}`, TERMINAL);
    const kind = fstatSync(stream);
    // Node makes a standard stream non-blocking when it is first used, and undoes that at exit.
    if (kind.isFIFO() || kind.isSocket()) {
      void (stream === STANDARD_OUTPUT ? process.stdout : process.stderr);
    }
  } catch {
    // It is closed, so each write fails. Or the system does not allow opening the terminal again.
  }
  return stream;
}
