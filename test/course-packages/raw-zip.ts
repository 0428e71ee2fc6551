import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip, with values that may be wrong on purpose. Each omitted member gets its correct value. */
export interface RawEntry {
  /** Written as UTF-8, or the bytes as they are. */
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** Replaces the deflated content. */
  readonly packed?: Buffer;
  readonly method?: number;
  readonly flags?: number;
  /** Kind and permissions as Unix has them. */
  readonly mode?: number;
  readonly extra?: Buffer;
  readonly claimedSize?: number;
  readonly claimedChecksum?: number;
  readonly claimedPackedSize?: number;
  /** The index of another entry whose bytes this one shares, instead of bytes of its own. */
  readonly sharesBytesOf?: number;
}

const STORED = 0;
const DEFLATED = 8;
const MADE_ON_UNIX = (3 << 8) | 20;
const REGULAR_FILE = 0o100644;

/** A zip written byte by byte (APPNOTE.TXT 4.3), which no library would write. */
export function rawZip(entries: readonly RawEntry[], claimedEntries = entries.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let position = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const method = entry.method ?? DEFLATED;
    const packed = entry.packed ?? (method === STORED ? content : deflateRawSync(content));
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(entry.flags ?? 0, 2);
    header.writeUInt16LE(method, 4);
    header.writeUInt32LE(entry.claimedChecksum ?? crc32(content), 10);
    header.writeUInt32LE(entry.claimedPackedSize ?? packed.length, 14);
    header.writeUInt32LE(entry.claimedSize ?? content.length, 18);
    header.writeUInt16LE(name.length, 22);
    const offset = entry.sharesBytesOf === undefined ? position : offsets[entry.sharesBytesOf]!;
    offsets.push(offset);
    if (entry.sharesBytesOf === undefined) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04'), header, name, packed]);
      parts.push(local);
      position += local.length;
    }
    const extra = entry.extra ?? Buffer.alloc(0);
    header.writeUInt16LE(extra.length, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? REGULAR_FILE) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), uint16(MADE_ON_UNIX), header, rest, name, extra);
  }
  const directoryBytes = Buffer.concat(directory);
  return Buffer.concat([
    ...parts,
    directoryBytes,
    endRecord(claimedEntries, directoryBytes.length, position),
  ]);
}

/**
 * A zip64 file of 98 bytes that names an impossible position. A reader that passes the position to the operating system
 * without checking it throws an error that nothing catches.
 */
export function zipNamingImpossiblePosition(): Buffer {
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(2n ** 63n, 8);
  return Buffer.concat([Buffer.alloc(56), locator, endRecord(1, 0, 0)]);
}

function endRecord(entries: number, directoryBytes: number, directoryStart: number): Buffer {
  const record = Buffer.alloc(22);
  record.write('PK\x05\x06', 'latin1');
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(directoryStart, 16);
  return record;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
