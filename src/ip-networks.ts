import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR notation, parsed. */
export type IpNetwork = readonly [address: IpAddress, prefixLength: number];

/** The number of leading bits that identify an IPv4-mapped address. */
const IPV4_MAPPED_BITS = 96;

/**
 * IPv4 networks that do not belong to the public Internet.
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
 * IPv6 networks within global unicast that do not belong to the public Internet. Tunnels that contain an IPv4
 * address (Teredo, 6to4) are refused: they are deprecated, and anyone can choose the IPv4 address in them.
 *
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL_IPV6 = parseNetworks([
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID, drone identities
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
]);

/**
 * The only part of IPv6 that is allocated. Loopback, unique-local, link-local and multicast addresses are outside.
 */
const GLOBAL_UNICAST_IPV6 = parseNetwork('2000::/3');

/**
 * IPv6 networks whose last 32 bits are the IPv4 address that packets are sent to: IPv4-mapped (RFC 4291 §2.5.5.2)
 * and the well-known NAT64 prefix (RFC 6052 §2.1), through which IPv6-only hosts reach public IPv4 targets. The
 * local-use NAT64 prefix 64:ff9b:1::/48 (RFC 8215) is not included, because each site chooses the place of its IPv4
 * address.
 */
const EMBEDDING_IPV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map((text) => ipaddr.IPv6.parseCIDR(text));

/**
 * Parses a network in CIDR notation, or a single address. Bits beyond the prefix are ignored. A network of
 * IPv4-mapped addresses is the IPv4 network.
 *
 * @throws {RangeError} that names the invalid text
 */
export function parseNetwork(text: string): IpNetwork {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  // node:net decides what an address is, because ipaddr.js also accepts octal, hexadecimal and shortened IPv4
  // numbers.
  if (family === 0 || address.includes('%') || rest.length > 0) throw notANetwork(text);
  const bits = family === 4 ? 32 : 128;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) throw notANetwork(text);

  const parsed = parseIp(address);
  const prefixLength = prefix === undefined ? bits : Number(prefix);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && prefixLength >= IPV4_MAPPED_BITS)
    return [parsed.toIPv4Address(), prefixLength - IPV4_MAPPED_BITS];
  return [parsed, prefixLength];
}

/** Whether the address belongs to the public Internet: it is not special or local, and contains no such address. */
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

/** Parses an address as the operating system writes it, without its zone (`%eth0`). Null for anything else. */
export function parseAddress(text: string): IpAddress | null {
  const [address = ''] = text.split('%', 1);
  if (isIP(address) === 0 || (isIPv4(address) && text !== address)) return null;
  return parseIp(address);
}

function parseIp(address: string): IpAddress {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address);
  // ipaddr.js confuses ::10.0.0.1 with ::ffff:10.0.0.1, which is another address. In URLs, all numbers are
  // hexadecimal.
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
