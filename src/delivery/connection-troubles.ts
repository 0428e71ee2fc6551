import { MINUTE_MS } from '../time/units.ts';

/**
 * How long a webhook counts as waiting after its message was last postponed. Messages are retried sooner, so by then
 * another instance has the message, or it is not to be sent any more.
 */
const WAITING_MS = MINUTE_MS;

/** This machine is unable to connect to targets. */
export interface ConnectionTrouble {
  /** Epoch milliseconds. */
  readonly since: number;
  /** In a few plain words, for example that no name server responds. */
  readonly reason: string;
  /** How many webhooks wait for it. */
  readonly webhooks: number;
}

/** Dependencies of {@link ConnectionTroubles}. */
export interface ConnectionTroublesDependencies {
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds on a monotonic clock. @defaultValue `performance.now` */
  elapsed?: () => number;
}

/**
 * Knows whether this machine is unable to connect to targets: some webhook waits for that. A webhook waits until an attempt
 * of its own is made. That another one reaches its target proves nothing: it may have a connection that was kept, or a
 * target without a host name.
 */
export class ConnectionTroubles {
  readonly #now: () => number;
  readonly #elapsed: () => number;
  /** Since when at least one webhook has been waiting, in epoch milliseconds. */
  #since = 0;
  /** The webhooks that wait, by id, in the order in which their messages were last postponed. */
  readonly #waiting = new Map<number, { readonly at: number; readonly reason: string }>();

  constructor({ now, elapsed = () => performance.now() }: ConnectionTroublesDependencies) {
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** Call this when a message of a webhook was postponed because this machine is unable to connect. */
  postponed(webhookId: number, reason: string): void {
    this.#forgetOld();
    if (this.#waiting.size === 0) this.#since = this.#now();
    this.#waiting.delete(webhookId);
    this.#waiting.set(webhookId, { at: this.#elapsed(), reason });
  }

  /** Call this when an attempt of a webhook was made. */
  attempted(webhookId: number): void {
    this.#waiting.delete(webhookId);
  }

  /** The trouble, with its latest reason; null if there is none. */
  current(): ConnectionTrouble | null {
    this.#forgetOld();
    const reason = [...this.#waiting.values()].at(-1)?.reason;
    return reason === undefined ? null : { since: this.#since, reason, webhooks: this.#waiting.size };
  }

  /** @throws {Error} while this machine is unable to connect */
  async check(): Promise<void> {
    const trouble = this.current();
    if (trouble !== null) throw new Error(`this machine is unable to connect to targets: ${trouble.reason}`);
  }

  #forgetOld(): void {
    const oldest = this.#elapsed() - WAITING_MS;
    for (const [webhookId, { at }] of this.#waiting) {
      if (at > oldest) return;
      this.#waiting.delete(webhookId);
    }
  }
}
