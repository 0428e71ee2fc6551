import { EventEmitter, once } from 'node:events';
// biome-ignore lint/correctness/useImportExtensions: it takes the declarations beside the module for the module.
import { type ReceiverOptions, Refusal, startReceiver } from '../examples/receiver/receiver.mjs';
import { DemoFailure } from './failure.ts';
import { type Arrival, readMessage } from './postback.ts';
import { TAKEN, type Target, UNAVAILABLE } from './targets.ts';
import { within } from './waiting.ts';

const BAD_REQUEST = 400;
const SERVER_ERROR = 500;
/** The demo may run for a long time and receive anything. */
const MAX_KEPT = 10_000;

/** The receivers of the targets, each the example in `examples/receiver/`, and everything that they received. */
export class Inbox implements AsyncDisposable {
  readonly #arrivals: Arrival[] = [];
  readonly #news = new EventEmitter();
  readonly #receivers = new AsyncDisposableStack();
  readonly #onArrival: (arrival: Arrival) => void;

  /** `onArrival` is called with everything that arrives. */
  constructor(onArrival: (arrival: Arrival) => void) {
    this.#onArrival = onArrival;
  }

  /** Starts a target's receiver, which checks for the given secret, and returns its URL. */
  async open(target: Target, secret: string | undefined): Promise<string> {
    const attempts = new AttemptCounter();
    const keep: ReceiverOptions['onMessage'] = (body, { id, headers }) => {
      const message = readMessage(body);
      if (message === null) throw new Refusal(BAD_REQUEST, 'This is not a message.');
      const attempt = attempts.count(id);
      const status = attempts.total > target.refusesFirst ? TAKEN : UNAVAILABLE;
      const { subtopic } = message;
      this.#add({ target, subtopic, attempt, status, message, headers, at: Date.now() });
      if (status !== TAKEN) throw new Refusal(status, 'Down for maintenance.');
    };
    const receiver = await startReceiver({
      key: target.credentials?.key,
      secret,
      acceptAnyone: target.credentials === null,
      onMessage: keep,
      // The demo shows everything that arrives.
      onTest: keep,
      onRefusal: (error, { headers }) => {
        if (error instanceof Refusal && error.status === UNAVAILABLE) return;
        const attempt = attempts.count(String(headers['webhook-id']));
        const status = error instanceof Refusal ? error.status : SERVER_ERROR;
        this.#add({ target, subtopic: null, attempt, status, message: null, headers, at: Date.now() });
      },
    });
    this.#receivers.defer(() => receiver.close());
    return receiver.url;
  }

  /** Requests to all targets, in order. */
  get all(): readonly Arrival[] {
    return this.#arrivals;
  }

  /** Requests to a target, in order. */
  of(target: Target): Arrival[] {
    return this.#arrivals.filter((arrival) => arrival.target === target);
  }

  /**
   * Waits until nothing is missing.
   * @throws {DemoFailure} naming what is missing, if that takes too long
   */
  async waitFor(missing: () => string[], deadlineMs: number, signal: AbortSignal): Promise<void> {
    try {
      await within({ what: 'all postbacks arrive', deadlineMs, signal }, async (limit) => {
        while (missing().length > 0) await once(this.#news, 'arrival', { signal: limit });
      });
    } catch (error) {
      const isLate = error instanceof DemoFailure && error.details.length === 0;
      throw isLate ? new DemoFailure(error.message, missing()) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receivers.disposeAsync();
  }

  #add(arrival: Arrival): void {
    this.#arrivals.push(arrival);
    if (this.#arrivals.length > MAX_KEPT) this.#arrivals.shift();
    this.#onArrival(arrival);
    this.#news.emit('arrival');
  }
}

/** Counts the attempts of each message. */
class AttemptCounter {
  readonly #attempts = new Map<string, number>();
  /** Of all messages. */
  total = 0;

  count(messageId: string): number {
    this.total += 1;
    const attempt = (this.#attempts.get(messageId) ?? 0) + 1;
    this.#attempts.set(messageId, attempt);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > MAX_KEPT && oldest !== undefined) this.#attempts.delete(oldest);
    return attempt;
  }
}
