import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '../../problems/problem.ts';

/** How long an upload may take in all, with its import: 1 GiB at 150 KB/s. */
const UPLOAD_DEADLINE_MS = 2 * 60 * 60 * 1_000;
/** What has to come in each of these periods: 4 KiB/s, less than the slowest line that a course would be uploaded on. */
const RATE_PERIOD_MS = 30_000;
const LEAST_BYTES_OF_PERIOD = 128 * 1024;
/** How long a client that was refused half-way may go on sending before it is cut off. */
const LINGER_MS = 10_000;

/** The connection that an upload comes on, watched until disposed of. */
export class UploadConnection implements Disposable {
  readonly #request: IncomingMessage;
  readonly #gone = new AbortController();
  readonly #stopWatching: () => void;
  readonly #rateWatch: NodeJS.Timeout;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request.raw;
    // The end of the answer, not of the request: that one ends as well when its body has been read.
    const left = () => this.#gone.abort(interrupted('The connection ended before the upload was complete'));
    const late = () => {
      this.#gone.abort(interrupted('The upload took too long'));
      this.#request.destroy();
    };
    reply.raw.once('close', left);
    const timer = setTimeout(late, UPLOAD_DEADLINE_MS).unref();
    let bytesBefore = this.#request.socket.bytesRead;
    const measure = () => {
      const { bytesRead } = this.#request.socket;
      if (bytesRead - bytesBefore < LEAST_BYTES_OF_PERIOD) {
        this.#gone.abort(interrupted('The upload was too slow'));
        this.#request.destroy();
      }
      bytesBefore = bytesRead;
    };
    this.#rateWatch = setInterval(measure, RATE_PERIOD_MS).unref();
    this.#stopWatching = () => {
      clearInterval(this.#rateWatch);
      reply.raw.off('close', left);
      clearTimeout(timer);
    };
    if (this.#request.socket.destroyed) left();
  }

  /** Aborted when the client is gone, is slower than any line in use, or has taken too long: the next one has its place. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** From here on nothing comes on the connection, and that is no reason to close it: an import takes its time. */
  awaitAnswer(): void {
    clearInterval(this.#rateWatch);
    this.#request.socket.setTimeout(0);
  }

  /**
   * What is left of a body that was refused half-way is read and dropped, for a while: closing the connection
   * at once would take the answer away from a client that is still sending.
   */
  [Symbol.dispose](): void {
    this.#stopWatching();
    const request = this.#request;
    if (request.readableEnded || request.destroyed) return;
    const cutOff = setTimeout(() => request.destroy(), LINGER_MS).unref();
    request.once('close', () => clearTimeout(cutOff));
    request.unpipe();
    request.resume();
  }
}

function interrupted(detail: string): ProblemError {
  return new ProblemError('invalid-request', detail);
}
