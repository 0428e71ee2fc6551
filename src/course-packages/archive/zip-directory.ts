import type { FileHandle } from 'node:fs/promises';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { KIB } from '../../bytes.ts';
import { readExactly } from '../../file-system/read-exactly.ts';
import { TimeSlices } from '../../time/time-slices.ts';
import { PackageError, packageError } from '../package-error.ts';
import type { PackageLimits } from '../package-limits.ts';
import { isSystemError } from './system-error.ts';
import { decodeName, NameTree, ROOT_NAME, refuseUnsafeName } from './zip-names.ts';

/** A file in a zip, as described by the zip's directory. Its name can safely be joined to a folder. */
export interface ZipMember {
  readonly name: string;
  /** Unpacked bytes, according to the directory. */
  readonly size: number;
  readonly compressedSize: number;
  readonly crc32: number;
  /** Position of the local header, which precedes the name and the data. */
  readonly headerOffset: number;
  /** True for deflate, false for stored. */
  readonly deflated: boolean;
}

/** The contents of a zip. */
export interface ZipDirectory {
  readonly members: readonly ZipMember[];
  /** Parents before their contents, without a trailing `/`. */
  readonly folders: readonly string[];
}

/** The fixed part of a local header, before the name and the extra field (APPNOTE.TXT 4.3.7). */
export const LOCAL_HEADER_BYTES = 30;
const READ_AHEAD_BYTES = 64 * KIB;

const STORED = 0;
const DEFLATED = 8;
// APPNOTE.TXT 4.4.4, bits 0 (encrypted) and 13 (masked headers). yauzl itself rejects bit 6 (strong encryption).
const ENCRYPTED_FLAGS = 0x1 | 0x2000;

// Only programs on these systems store a file's type and permissions in the upper half of the external attributes.
const UNIX_SYSTEMS = new Set([3, 19]);
const KIND_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;

/**
 * Files that macOS and Windows add to zips, which are never part of a course. `._NAME` (AppleDouble) has the attributes
 * that macOS cannot store with the file NAME.
 */
const SYSTEM_CLUTTER = /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini|Icon\r)$/i;

/**
 * Reads the whole directory of a zip. Before a byte is unpacked, it rejects what no course needs: too many or too
 * highly compressed files, encryption, links and devices, names that lead elsewhere or conflict, and files that share
 * bytes. Files that macOS and Windows add are skipped.
 *
 * @throws {PackageError} any of the `ZIP_…` codes and FILE_TOO_LARGE
 */
export async function readZipDirectory(file: FileHandle, limits: PackageLimits): Promise<ZipDirectory> {
  const { size: zipBytes } = await file.stat();
  try {
    const zip = await fromRandomAccessReaderPromise(new DirectoryReader(file, zipBytes), zipBytes, {
      autoClose: false,
      decodeStrings: false,
    });
    if (zip.entryCount > limits.entries) {
      throw packageError('ZIP_TOO_MANY_ENTRIES', { limit: limits.entries });
    }
    return await checkedDirectory(zip.eachEntry(), zipBytes, limits);
  } catch (error) {
    if (error instanceof PackageError || isSystemError(error)) throw error;
    throw packageError('ZIP_UNREADABLE', {}, { cause: error });
  }
}

async function checkedDirectory(
  entries: AsyncIterable<Entry>,
  zipBytes: number,
  limits: PackageLimits,
): Promise<ZipDirectory> {
  const members: ZipMember[] = [];
  const names = new NameTree(limits);
  let total = 0;
  const slices = new TimeSlices();
  slices.begin();
  for await (const entry of entries) {
    // Reading ahead, the event loop turns only after many entries.
    await slices.pause();
    const name = decodeName(entry);
    // A link or a device is always rejected, but an unusable name may belong to a file that is skipped.
    refuseUnusable(entry, name);
    if (name === ROOT_NAME || SYSTEM_CLUTTER.test(name)) continue;
    refuseUnsafeName(name, limits);
    if (isFolder(entry, name)) {
      names.addFolder(name.replace(/\/$/, ''));
      continue;
    }
    names.addFile(name);
    refuseOversized(entry, name, limits);
    total += entry.uncompressedSize;
    if (total > limits.totalBytes) throw packageError('ZIP_TOO_LARGE', { limit: limits.totalBytes });
    members.push({
      name,
      size: entry.uncompressedSize,
      compressedSize: entry.compressedSize,
      crc32: entry.crc32,
      headerOffset: entry.relativeOffsetOfLocalHeader,
      deflated: entry.compressionMethod === DEFLATED,
    });
  }
  if (total > limits.ratioFloorBytes && total / zipBytes > limits.ratio) {
    throw packageError('ZIP_RATIO_TOO_HIGH', { file: null, limit: limits.ratio });
  }
  await names.refuseConflicts();
  refuseOverlaps(members, zipBytes);
  return { members, folders: names.folders };
}

function refuseUnusable(entry: Entry, name: string): void {
  const kind = unixKind(entry);
  if (kind !== 0 && kind !== REGULAR_FILE && kind !== FOLDER) {
    throw packageError('ZIP_SPECIAL_FILE', { file: name });
  }
  if ((entry.generalPurposeBitFlag & ENCRYPTED_FLAGS) !== 0) {
    throw packageError('ZIP_ENCRYPTED', { file: name });
  }
  const method = entry.compressionMethod;
  if (method !== STORED && method !== DEFLATED) {
    throw packageError('ZIP_METHOD_UNSUPPORTED', { file: name, method });
  }
}

function isFolder(entry: Entry, name: string): boolean {
  return name.endsWith('/') || unixKind(entry) === FOLDER;
}

function unixKind(entry: Entry): number {
  const madeOnUnix = UNIX_SYSTEMS.has(entry.versionMadeBy >>> 8);
  return madeOnUnix ? (entry.externalFileAttributes >>> 16) & KIND_MASK : 0;
}

function refuseOversized(entry: Entry, file: string, limits: PackageLimits): void {
  const size = entry.uncompressedSize;
  if (size > limits.fileBytes) throw packageError('FILE_TOO_LARGE', { file, limit: limits.fileBytes });
  if (size > limits.ratioFloorBytes && size / Math.max(1, entry.compressedSize) > limits.ratio) {
    throw packageError('ZIP_RATIO_TOO_HIGH', { file, limit: limits.ratio });
  }
}

/**
 * Every file must have separate bytes. This rejects zips in which thousands of entries share one compressed kernel (D.
 * Fifield, "A better zip bomb", 2019), and makes the ratio of the whole zip a reliable limit.
 */
function refuseOverlaps(members: readonly ZipMember[], zipBytes: number): void {
  const inOrder = members.toSorted((a, b) => a.headerOffset - b.headerOffset);
  for (const [index, member] of inOrder.entries()) {
    const end = member.headerOffset + LOCAL_HEADER_BYTES + member.compressedSize;
    const next = inOrder[index + 1];
    if (end > zipBytes) {
      throw packageError('ZIP_UNREADABLE', {});
    }
    if (next !== undefined && end > next.headerOffset) throw packageError('ZIP_OVERLAP', { file: next.name });
  }
}

/**
 * The reader that yauzl uses for the directory. yauzl's default reader accepts any position that the zip names. A
 * position beyond 2^53, which 142 bytes of zip64 can name, throws inside a callback and ends the process. This reader
 * fails the read instead. It also reads ahead, because a directory is read in two small pieces per entry.
 */
class DirectoryReader extends RandomAccessReader {
  readonly #file: FileHandle;
  readonly #fileBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;

  constructor(file: FileHandle, fileBytes: number) {
    super();
    this.#file = file;
    this.#fileBytes = fileBytes;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#bytes(position, length).then(
      (bytes) => {
        bytes.copy(target, offset);
        callback(null);
      },
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error('read failed', { cause: error })),
    );
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    const start = position - this.#windowStart;
    if (start < 0 || start + length > this.#window.length) {
      const wanted = Math.max(length, Math.min(READ_AHEAD_BYTES, this.#fileBytes - position));
      this.#window = await readExactly(this.#file, position, wanted);
      this.#windowStart = position;
      return this.#window.subarray(0, length);
    }
    return this.#window.subarray(start, start + length);
  }
}
