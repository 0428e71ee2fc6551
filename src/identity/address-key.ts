import ipaddr from 'ipaddr.js';

/**
 * The key that a client's address counts under. An IPv6 address counts as its /64, which is what one
 * subscriber has at least (RFC 6177), an IPv4-mapped one as the IPv4 address; other texts stay as they are.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
