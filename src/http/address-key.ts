import ipaddr from 'ipaddr.js';

/** Some proxies write ports into `X-Forwarded-For`: `192.0.2.7:51034`, `[2001:db8::1]:51034`. */
const WITH_PORT = /^(?:\[([^[\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/**
 * The key under which a client's address is counted. An IPv6 address counts as its /64, the least that a subscriber has
 * (RFC 6177). An IPv4-mapped one counts as its IPv4 address. Other texts are unchanged.
 */
export function addressKey(address: string): string {
  const parsed = parse(address);
  if (parsed === null) return address;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return prefixOf(parsed, 64);
}

/**
 * The key under which all addresses of an IPv6 site are counted together: its /48, of which one subscriber may have all
 * (RFC 6177). Null for other addresses.
 */
export function siteKey(address: string): string | null {
  const parsed = parse(address);
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 48) : null;
}

function prefixOf({ parts }: ipaddr.IPv6, bits: 48 | 64): string {
  const network = parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${network.join(':')}::/${bits}`;
}

/**
 * An address without its port; an IPv4-mapped IPv6 address as IPv4. Null if the text from the proxy is not an address.
 */
export function plainAddress(address: string): string | null {
  return parse(address)?.toString() ?? null;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, bracketed, before] = WITH_PORT.exec(text) ?? [];
  const address = bracketed ?? before ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
