import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type IpNetwork, isPublicAddress, isWithin, parseAddress, parseNetwork } from './ip-networks.ts';
import { NameResolver } from './name-resolver.ts';
import { SharedLookup } from './shared-lookup.ts';

/** The most characters that a target's URL may have. */
export const MAX_TARGET_URL_LENGTH = 2_048;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * A connection was not opened, because its address is not allowed for targets. The message names an address of the URL, but
 * not the address that a host name leads to: who may configure webhooks must not map the network with names.
 */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
  readonly code = 'TARGET_REFUSED';
  readonly address: string;

  constructor(address: string, { ofName = false } = {}) {
    super(ofName ? NAME_REFUSAL : addressRefusal(address));
    this.address = address;
  }
}

/** What a {@link TargetGuard} is made of. */
export interface TargetGuardOptions {
  /** Networks in CIDR notation that targets may be in although they are not the public Internet. */
  readonly allowedNetworks: readonly string[];
  /** Finds the addresses of a host name; always called with `all: true`. @defaultValue a {@link NameResolver} */
  readonly lookup?: LookupFunction;
}

/**
 * Networks in CIDR notation, parsed.
 *
 * @throws {RangeError} naming the first one that is no network
 */
export function parseAllowedNetworks(cidrs: readonly string[]): readonly IpNetwork[] {
  return cidrs.map((cidr) => parseNetwork(cidr.trim()));
}

/**
 * Protects the internal network against server-side request forgery. URLs are checked when they are configured and again
 * when they are used. The addresses of a host name are checked when a connection is opened, and the connection goes to one
 * of the checked addresses, so a later DNS answer cannot change the destination.
 *
 * It cannot see where a public address forwards to. An outgoing proxy would have to make the same checks itself.
 */
export class TargetGuard {
  readonly #allowedNetworks: readonly IpNetwork[];
  readonly #hosts: SharedLookup;

  /** @throws {RangeError} naming the first allowed network that is none */
  constructor(options: TargetGuardOptions) {
    this.#allowedNetworks = parseAllowedNetworks(options.allowedNetworks);
    this.#hosts = new SharedLookup(options.lookup ?? new NameResolver().lookup);
  }

  /**
   * Why a text cannot be a target's URL, or null when nothing in the text itself speaks against it. A literal address
   * is checked in whatever way it is written; where a host name leads is known only when it is connected to.
   */
  checkUrl(text: string): string | null {
    if (text.length > MAX_TARGET_URL_LENGTH)
      return `target URL is longer than ${MAX_TARGET_URL_LENGTH.toLocaleString('en')} characters`;
    if (CONTROL_CHARACTER.test(text)) return 'target URL contains a control character';
    const url = URL.parse(text);
    if (url === null) return 'target URL is not a valid absolute URL';
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'target URL is not http or https';
    if (url.username !== '' || url.password !== '') return 'target URL contains credentials';
    return this.checkHost(url.hostname);
  }

  /**
   * Why a host of a URL cannot be connected to: a literal address, with or without brackets, that is not allowed. Null
   * for allowed addresses and for host names. (`node:net` asks no lookup function about literal addresses.)
   */
  checkHost(hostname: string): string | null {
    const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    return isIP(address) === 0 || this.allowsAddress(address) ? null : addressRefusal(address);
  }

  /** Whether connections may go to this IP address; false if it is not an IP address. */
  allowsAddress(ip: string): boolean {
    const address = parseAddress(ip);
    return address !== null && (isWithin(address, this.#allowedNetworks) || isPublicAddress(address));
  }

  /**
   * A lookup function for `node:net` and `node:tls`: of a host's addresses those that are allowed, in their order. When
   * there are addresses but none is allowed it fails with {@link TargetRefusedError}.
   */
  readonly lookup: LookupFunction = (hostname: string, options: LookupOptions, callback) => {
    this.#hosts.find(hostname, options, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const allowed: LookupAddress[] = found.filter(({ address }) => this.allowsAddress(address));
      const [first] = allowed;
      if (first === undefined)
        return callback(new TargetRefusedError(found[0]?.address ?? hostname, { ofName: true }), '', 0);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

const NAME_REFUSAL = 'the host name leads to an address that is not allowed';

function addressRefusal(address: string): string {
  return `target address ${address} is not allowed`;
}
