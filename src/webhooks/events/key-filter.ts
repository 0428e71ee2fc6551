/**
 * A Bloom filter of keys as text: it says that a key is certainly not among them, or that it probably is. With 16
 * bits and 8 probes per key, it is wrong about one in 1,700 keys that are not among them.
 */

const BITS_A_KEY = 16;
const PROBES = 8;
const BITS_A_BYTE = 8;

/** The filter of these keys, in base64. */
export function toKeyFilter(keys: ReadonlySet<string>): string {
  const bytes = Buffer.alloc(Math.ceil((Math.max(1, keys.size) * BITS_A_KEY) / BITS_A_BYTE));
  const bits = new Array<number>(PROBES);
  for (const key of keys) {
    readBits(key, bytes.length * BITS_A_BYTE, bits);
    for (const bit of bits) bytes[bit >>> 3]! |= 1 << (bit & 7);
  }
  return bytes.toString('base64');
}

/** Whether a filter may contain all keys. False is certain. */
export function mayHaveKeys(filter: string, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  const bytes = Buffer.from(filter, 'base64');
  const bits = new Array<number>(PROBES);
  return keys.every((key) => {
    readBits(key, bytes.length * BITS_A_BYTE, bits);
    return bits.every((bit) => (bytes[bit >>> 3]! & (1 << (bit & 7))) !== 0);
  });
}

/** Writes the bits of a key to an array. Stored filters depend on them: they must never change. */
function readBits(key: string, size: number, bits: number[]): void {
  // FNV-1a, twice, from different starts.
  let first = 0x811c_9dc5;
  let second = 0x1000_193;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    first = Math.imul(first ^ code, 0x0100_0193);
    second = Math.imul(second ^ code, 0x85eb_ca6b);
  }
  const step = (second ^ (second >>> 15)) >>> 0;
  let bit = (first ^ (first >>> 13)) >>> 0;
  for (let probe = 0; probe < PROBES; probe++) {
    bits[probe] = bit % size;
    bit = (bit + step + probe) >>> 0;
  }
}
