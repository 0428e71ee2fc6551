import { addressKey, siteKey } from '../http/address-key.ts';
import { keepNewest } from '../keep-newest.ts';
import type { LogFields, Logger } from '../observability/log.ts';
import { RateLimit } from '../time/rate-limit.ts';
import { SECOND_MS } from '../time/units.ts';

/** Lines about an address: enough to see what is wrong with a client. */
const RATE = { burst: 100, refillMs: 10 * SECOND_MS };
/** Maximum number of addresses whose omitted lines are counted. */
const MAX_COUNTED = 1_000;

/**
 * Logs whom the service does not recognize. Anybody can cause these lines, so each address has a limit. Otherwise, one
 * caller could fill the disk, and the lines of others would be lost. All addresses of an IPv6 site count together.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #rate: RateLimit;
  readonly #omitted = new Map<string, number>();

  /** @param now in milliseconds; a monotonic clock by default */
  constructor(log: Logger, now?: () => number) {
    this.#log = log;
    this.#rate = new RateLimit(RATE, now);
  }

  /** Logs a refusal, with the number of those of the address that were omitted since its last line. */
  note(message: string, fields: LogFields & { address: string }): void {
    const key = siteKey(fields.address) ?? addressKey(fields.address);
    const omitted = this.#omitted.get(key) ?? 0;
    this.#omitted.delete(key);
    if (this.#rate.waitMs(key) > 0) {
      this.#omitted.set(key, omitted + 1);
      keepNewest(this.#omitted, MAX_COUNTED);
      return;
    }
    this.#rate.count(key);
    this.#log.info(message, { ...fields, ...(omitted === 0 ? {} : { omitted }) });
  }
}
