import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Called with the addresses of a host, at least one, or with the error. */
export type AddressesCallback = (
  error: NodeJS.ErrnoException | null,
  addresses: readonly LookupAddress[],
) => void;

/**
 * Looks up host names, with one lookup at a time for each name, so that many connections to one host query the name
 * servers once. All waiting callers get the result. It is not cached.
 */
export class SharedLookup {
  readonly #lookup: LookupFunction;
  readonly #waiting = new Map<string, AddressesCallback[]>();

  constructor(lookup: LookupFunction) {
    this.#lookup = lookup;
  }

  /** The addresses of a host of the requested family, or of both. */
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
      for (const notify of waiting) notify(error, addresses);
    };
    this.#lookup(hostname, { family, all: true }, (error, found, foundFamily = 4) => {
      if (error !== null) return settle(error, []);
      const addresses = typeof found === 'string' ? [{ address: found, family: foundFamily }] : found;
      settle(addresses.length === 0 ? notFound(hostname) : null, addresses);
    });
  }
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address found for ${hostname}`), { code: 'ENOTFOUND' });
}
