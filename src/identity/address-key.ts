import ipaddr from 'ipaddr.js';

/** Proxies of some makers write ports into `X-Forwarded-For`: `192.0.2.7:51034`, `[2001:db8::1]:51034`. */
const WITH_PORT = /^(?:\[([^[\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/**
 * The key that a client's address counts under. An IPv6 address counts as its /64, which is what one
 * subscriber has at least (RFC 6177), an IPv4-mapped one as the IPv4 address; other texts stay as they are.
 */
export function addressKey(address: string): string {
  const parsed = parse(address);
  if (parsed === null) return address;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** An address without its port, an IPv4-mapped IPv6 one as the IPv4 one; null for what a proxy gave that is none. */
export function plainAddress(address: string): string | null {
  return parse(address)?.toString() ?? null;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, bracketed, before] = WITH_PORT.exec(text) ?? [];
  const address = bracketed ?? before ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
