import { ADDRCONFIG, type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Called with the addresses of a host, at least one, or with the reason that there are none. */
export type AddressesCallback = (
  error: NodeJS.ErrnoException | null,
  addresses: readonly LookupAddress[],
) => void;

/**
 * Finds the addresses of host names, asking only once at a time about each. The operating system's lookup blocks a
 * thread of a small pool until the name service answers: without this, the connections to one host whose name service
 * is silent would take them all, and no other host would be found. Nothing is kept once the answer is there.
 */
export class SharedLookup {
  readonly #lookup: LookupFunction;
  readonly #waiting = new Map<string, AddressesCallback[]>();

  constructor(lookup: LookupFunction = systemLookup) {
    this.#lookup = lookup;
  }

  /** Finds a host's addresses of the family asked for, or of both. */
  find(hostname: string, { family = 0 }: Pick<LookupOptions, 'family'>, callback: AddressesCallback): void {
    const key = `${family} ${hostname}`;
    const others = this.#waiting.get(key);
    if (others !== undefined) {
      others.push(callback);
      return;
    }
    this.#waiting.set(key, [callback]);

    const settle: AddressesCallback = (error, addresses) => {
      const waiting = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      for (const tell of waiting) tell(error, addresses);
    };
    this.#lookup(hostname, { family, all: true, hints: ADDRCONFIG }, (error, answer, answerFamily = 4) => {
      if (error !== null) return settle(error, []);
      const addresses = typeof answer === 'string' ? [{ address: answer, family: answerFamily }] : answer;
      settle(addresses.length === 0 ? notFound(hostname) : null, addresses);
    });
  }
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address found for ${hostname}`), { code: 'ENOTFOUND' });
}
