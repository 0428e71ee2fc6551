import { randomUUID } from 'node:crypto';
import { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { ProblemError } from '../problems/problem.ts';
import { RateLimit } from '../time/rate-limit.ts';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { noticeContent } from './notices/notice.ts';
import type { NoticeSender } from './notices/notice-sender.ts';
import { type AlertRule, type Channel, channelsOf } from './rules/alert-rule.ts';

/** Number of tests of a caller that may be under way at a time. */
export const MAX_ALERT_TESTS_AT_A_TIME = 8;
/** A caller may send as many tests without a pause, then one per period. */
export const MAX_ALERT_TESTS_IN_A_ROW = 20;
const REFILL_MS = 3 * MINUTE_MS;

/** The result of a test over one channel. */
export interface AlertTestResult {
  channel: Channel;
  sent: boolean;
  error: string | null;
  durationMs: number;
}

/**
 * Sends test notices immediately, even if the rule is disabled. A caller can send only a few at a time, because each
 * may hold connections until their deadlines. About 20 per hour are allowed, because each sends e-mail with a text of
 * the caller to all addresses of the rule. The tests are counted in each instance.
 */
export class AlertTests implements Disposable {
  readonly #sender: Pick<NoticeSender, 'send'>;
  readonly #now: () => number;
  readonly #limit = new ConcurrencyLimit(
    MAX_ALERT_TESTS_AT_A_TIME,
    `You already have ${MAX_ALERT_TESTS_AT_A_TIME} alert tests running. Try again when one has finished`,
  );
  /** By the monotonic clock, because the wall clock may be set back. */
  readonly #rate = new RateLimit({ burst: MAX_ALERT_TESTS_IN_A_ROW, refillMs: REFILL_MS });
  readonly #end = new AbortController();

  constructor({ sender, now }: { sender: Pick<NoticeSender, 'send'>; now: () => number }) {
    this.#sender = sender;
    this.#now = now;
  }

  /**
   * Sends a test over every channel of a rule. Ends within the deadlines of the channels.
   * @throws {ProblemError} `too-many-requests`
   */
  async send(rule: AlertRule, callerId: string): Promise<AlertTestResult[]> {
    return await this.#limit.run(callerId, () => {
      this.#assertRate(callerId);
      return this.#send(rule);
    });
  }

  /** Ends the tests under way: a server that does not respond must not delay a stop. */
  [Symbol.dispose](): void {
    this.#end.abort();
  }

  /** @throws {ProblemError} `too-many-requests` */
  #assertRate(callerId: string): void {
    const waitMs = this.#rate.waitMs(callerId);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / SECOND_MS);
      throw new ProblemError(
        'too-many-requests',
        `You have sent ${MAX_ALERT_TESTS_IN_A_ROW} alert tests. Send the next one in ${seconds} s`,
        { headers: { 'Retry-After': String(seconds) } },
      );
    }
    this.#rate.count(callerId);
  }

  async #send(rule: AlertRule): Promise<AlertTestResult[]> {
    const content = noticeContent('TEST', rule);
    const notice = { batch: randomUUID(), createdAt: this.#now(), content };
    return await Promise.all(
      channelsOf(rule).map(async (channel) => {
        const startedAt = performance.now();
        const { sent, error } = await this.#sender.send(rule, channel, notice, this.#end.signal);
        return { channel, sent, error, durationMs: performance.now() - startedAt };
      }),
    );
  }
}
