import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR notation, parsed. */
export type IpNetwork = readonly [address: IpAddress, prefixLength: number];

/** How many leading bits of an IPv4-mapped address say that it is one. */
const IPV4_MAPPED_BITS = 96;

/**
 * IPv4 networks that are not the public Internet.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const SPECIAL_IPV4 = parseNetworks([
  '0.0.0.0/8', // unspecified, "this network"
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a public number, but the platform's own service inside every Azure virtual machine
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relay anycast, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

/**
 * IPv6 networks within global unicast that are not the public Internet. Tunnels that carry an IPv4 address
 * (Teredo, 6to4) are all refused: they are deprecated, and the author of an address chooses which IPv4 address it carries.
 *
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL_IPV6 = parseNetworks([
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID, drone identities
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
]);

/** The only part of IPv6 that is given out; loopback, unique-local, link-local, multicast and the rest lie outside. */
const GLOBAL_UNICAST_IPV6 = parseNetwork('2000::/3');

/**
 * IPv6 networks whose last 32 bits are the IPv4 address that packets really go to: IPv4-mapped (RFC 4291 §2.5.5.2) and
 * the well-known NAT64 prefix (RFC 6052 §2.1), through which IPv6-only hosts reach public IPv4 targets. The local-use
 * NAT64 prefix 64:ff9b:1::/48 (RFC 8215) is not among them, since the place of its IPv4 address is the site's choice.
 */
const EMBEDDING_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((text) => ipaddr.IPv6.parseCIDR(text));

/**
 * A network in CIDR notation, or a single address standing for itself. Bits beyond the prefix are ignored; a network
 * of IPv4-mapped addresses is the IPv4 network.
 *
 * @throws {RangeError} naming the text that is neither
 */
export function parseNetwork(text: string): IpNetwork {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  // node:net decides what an address is: ipaddr.js also reads octal, hexadecimal and shortened IPv4 numbers.
  if (family === 0 || address.includes('%') || rest.length > 0) throw notANetwork(text);
  const bits = family === 4 ? 32 : 128;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) throw notANetwork(text);

  const parsed = parseIp(address);
  const prefixLength = prefix === undefined ? bits : Number(prefix);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && prefixLength >= IPV4_MAPPED_BITS)
    return [parsed.toIPv4Address(), prefixLength - IPV4_MAPPED_BITS];
  return [parsed, prefixLength];
}

/** Whether the address is one of the public Internet: not special, not local, and not a disguise of such an address. */
export function isPublicAddress(address: IpAddress): boolean {
  if (address instanceof ipaddr.IPv4) return !isWithin(address, SPECIAL_IPV4);
  const embedded = embeddedIpv4(address);
  if (embedded !== null) return isPublicAddress(embedded);
  return isWithin(address, [GLOBAL_UNICAST_IPV6]) && !isWithin(address, SPECIAL_IPV6);
}

/** Whether one of the networks contains the address, or the IPv4 address embedded in it. */
export function isWithin(address: IpAddress, networks: readonly IpNetwork[]): boolean {
  const holds = (candidate: IpAddress) =>
    networks.some(([network, bits]) => candidate.kind() === network.kind() && candidate.match(network, bits));
  if (holds(address)) return true;
  const embedded = embeddedIpv4(address);
  return embedded !== null && holds(embedded);
}

/** An address as the operating system writes it, its zone (`%eth0`) left out; null for anything else. */
export function parseAddress(text: string): IpAddress | null {
  const [address = ''] = text.split('%', 1);
  if (isIP(address) === 0 || (isIPv4(address) && text !== address)) return null;
  return parseIp(address);
}

function parseIp(address: string): IpAddress {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address);
  // ipaddr.js takes ::10.0.0.1 for ::ffff:10.0.0.1, which is another address; in URLs all numbers are hexadecimal.
  return ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1));
}

function embeddedIpv4(address: IpAddress): ipaddr.IPv4 | null {
  if (address instanceof ipaddr.IPv4) return null;
  if (!EMBEDDING_IPV4.some(([network, bits]) => address.match(network, bits))) return null;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function parseNetworks(texts: readonly string[]): readonly IpNetwork[] {
  return texts.map(parseNetwork);
}

function notANetwork(text: string): RangeError {
  return new RangeError(`'${text}' is not a network in CIDR notation, such as 10.0.0.0/8 or fd00::/8`);
}
