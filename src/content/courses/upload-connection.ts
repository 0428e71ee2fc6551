import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KIB } from '../../bytes.ts';
import { ProblemError } from '../../problems/problem.ts';
import { HOUR_MS } from '../../time/units.ts';

/** Maximum duration of an upload, including its import: 1 GiB at 150 KB/s. */
const UPLOAD_DEADLINE_MS = 2 * HOUR_MS;
/** Minimum data per period: 4 KiB/s, less than the slowest usable connection. */
const RATE_PERIOD_MS = 30_000;
const LEAST_BYTES_OF_PERIOD = 128 * KIB;
/** How long a client that was rejected halfway may continue to send before it is disconnected. */
const LINGER_MS = 10_000;

/** The connection of an upload, monitored until disposed. */
export class UploadConnection implements Disposable {
  readonly #request: IncomingMessage;
  readonly #gone = new AbortController();
  readonly #stopWatching: () => void;
  readonly #rateWatch: NodeJS.Timeout;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request.raw;
    // The end of the response, not of the request, which also ends when its body has been read.
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

  /** Aborted when the client disconnects, is too slow, or takes too long. The next one gets its slot. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Stops watching how fast data arrives. The whole upload has arrived, and its import takes time. */
  awaitResponse(): void {
    clearInterval(this.#rateWatch);
  }

  /**
   * The rest of a body that was rejected halfway is read and discarded for a while. If the connection were
   * closed immediately, a client that is still sending would lose the response.
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
