import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseNetwork } from '../ip-networks.ts';
import { listOf, type Parser, text } from './parser.ts';

const MAX_NETWORKS = 256;
const MAX_HOST_LENGTH = 253;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** What a service that listens only on loopback may call by default. */
const LOOPBACK_NETWORKS: readonly string[] = Object.freeze(['127.0.0.0/8', '::1/128']);

/** A list of networks. Each is returned as `address/prefix length`, with the bits after the prefix cleared. */
export const networkList: Parser<readonly string[]> = listOf({
  allowed: `a list of at most ${MAX_NETWORKS} networks such as 10.0.0.0/8 or fd00::/8, or single IP addresses`,
  noun: ['a network', 'networks'],
  max: MAX_NETWORKS,
  read: readNetwork,
});

/** An address or a host name to listen on. */
export const listenHost: Parser<string> = text({
  allowed: 'an IP address (without brackets) or a host name, such as 127.0.0.1, 0.0.0.0, :: or localhost',
  read: (given) => {
    const host = given.trim();
    if (isIP(host) !== 0) return host;
    return host.length <= MAX_HOST_LENGTH && HOST_NAME.test(host) ? host : undefined;
  },
});

/** `10.1.2.3/8` becomes `10.0.0.0/8` and `::1` becomes `::1/128`; undefined if it is not a network. */
function readNetwork(given: string): string | undefined {
  try {
    const [address, bits] = parseNetwork(given);
    const Address = address instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
    return `${Address.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
  } catch {
    return undefined;
  }
}

/** Whether a service that listens on `host` can be reached only from this machine. */
export function isLoopbackHost(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return ipaddr.process(host).range() === 'loopback';
}

/** The settings that decide which networks postbacks may go to. */
export interface TargetNetworkSettings {
  readonly host: string;
  readonly base_url: string | null;
  readonly trusted_proxies: readonly string[];
  readonly target_allowed_networks: readonly string[] | null;
}

/**
 * Networks that are not public but to which postbacks may go: those in `target_allowed_networks`; otherwise loopback,
 * if the service can be reached only from this machine; otherwise none.
 */
export function allowedTargetNetworks(settings: TargetNetworkSettings): readonly string[] {
  if (settings.target_allowed_networks !== null) return settings.target_allowed_networks;
  return isLoopbackHost(settings.host) && !isPublished(settings) ? LOOPBACK_NETWORKS : [];
}

/** Which targets {@link allowedTargetNetworks} allows, and why: a sentence without its full stop, for the startup log. */
export function describeTargetNetworks(settings: TargetNetworkSettings): string {
  if (settings.target_allowed_networks !== null)
    return 'targets may have public addresses, and those in target_allowed_networks';
  if (allowedTargetNetworks(settings).length > 0)
    return 'targets may have public addresses, and loopback addresses, because only this machine can reach this service';
  const cause = isLoopbackHost(settings.host) ? 'trusted_proxies or base_url' : 'host';
  return (
    'targets may have public addresses only, and loopback addresses are refused, too, because ' +
    `${cause} shows that others can reach this service: set target_allowed_networks to allow others`
  );
}

/** Whether the settings show that others can reach a service that listens only on loopback. */
function isPublished({ base_url, trusted_proxies }: TargetNetworkSettings): boolean {
  if (trusted_proxies.length > 0) return true;
  if (base_url === null) return false;
  return !isLoopbackHost(new URL(base_url).hostname.replace(/^\[|\]$/g, ''));
}
