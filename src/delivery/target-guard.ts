import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type IpNetwork, isPublicAddress, isWithin, parseAddress, parseNetwork } from '../ip-networks.ts';
import { MAX_URL_LENGTH } from '../text-lengths.ts';
import { NameResolver } from './name-resolver.ts';
import { SharedLookup } from './shared-lookup.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/**
 * A connection was not opened, because its address is not allowed for targets. The message names an address in the URL,
 * but not the address of a host name. Otherwise, those who configure webhooks could map the network with names.
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

/** Configuration of a {@link TargetGuard}. */
export interface TargetGuardOptions {
  /** Networks in CIDR notation that targets may use although they do not belong to the public Internet. */
  readonly allowedNetworks: readonly string[];
  /** Looks up the addresses of a host name; always called with `all: true`. @defaultValue a {@link NameResolver} */
  readonly lookup?: LookupFunction;
}

/**
 * Parses networks in CIDR notation.
 *
 * @throws {RangeError} that names the first invalid one
 */
export function parseAllowedNetworks(cidrs: readonly string[]): readonly IpNetwork[] {
  return cidrs.map((cidr) => parseNetwork(cidr.trim()));
}

/**
 * Protects the internal network against server-side request forgery. URLs are checked when they are configured and
 * again when they are used. The addresses of a host name are checked when a connection is opened. The connection uses
 * one of the checked addresses, so a later DNS response cannot change the destination.
 *
 * The guard cannot see where a public address forwards to. An outgoing proxy would have to make the same checks.
 */
export class TargetGuard {
  readonly #allowedNetworks: readonly IpNetwork[];
  readonly #hosts: SharedLookup;

  /** @throws {RangeError} that names the first invalid network */
  constructor(options: TargetGuardOptions) {
    this.#allowedNetworks = parseAllowedNetworks(options.allowedNetworks);
    this.#hosts = new SharedLookup(options.lookup ?? new NameResolver().lookup);
  }

  /**
   * Why a text cannot be a target's URL, or null if the text itself is acceptable. Literal addresses are checked in
   * every notation. The addresses of a host name are known only when a connection is opened.
   */
  checkUrl(text: string): string | null {
    if (text.length > MAX_URL_LENGTH)
      return `target URL is longer than ${MAX_URL_LENGTH.toLocaleString('en')} characters`;
    if (CONTROL_CHARACTER.test(text)) return 'target URL contains a control character';
    const url = URL.parse(text);
    if (url === null) return 'target URL is not a valid absolute URL';
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'target URL is not http or https';
    if (url.username !== '' || url.password !== '') return 'target URL contains credentials';
    return this.checkHost(url.hostname);
  }

  /**
   * Why the host of a URL is not allowed: it is a literal address, with or without brackets, that is refused. Null
   * for allowed addresses and for host names. (`node:net` calls no lookup function for literal addresses.)
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
   * A lookup function for `node:net` and `node:tls`: returns the allowed addresses of a host, in their order. The
   * lookup fails with {@link TargetRefusedError} if the host has addresses but none is allowed.
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

const NAME_REFUSAL = 'the host name resolves to an address that is not allowed';

function addressRefusal(address: string): string {
  return `target address ${address} is not allowed`;
}
