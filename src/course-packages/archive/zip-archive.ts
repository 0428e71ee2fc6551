import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { KIB } from '../../bytes.ts';
import { readExactly } from '../../file-system/read-exactly.ts';
import { PackageError, packageError } from '../package-error.ts';
import type { PackageLimits } from '../package-limits.ts';
import type { ArchiveFile, PackageArchive } from './package-archive.ts';
import { isSystemError } from './system-error.ts';
import { LOCAL_HEADER_BYTES, readZipDirectory, type ZipDirectory, type ZipMember } from './zip-directory.ts';

const LOCAL_HEADER_SIGNATURE = 0x04034b50;
const BLOCK_BYTES = 64 * KIB;

// For a small file, a stream costs more than inflating it: with 20,000 files of 3 KB, 5.7 s instead of 3.2 s. Up to
// these sizes, a file is inflated synchronously, which blocks the thread for about a millisecond at most.
const AT_ONCE_PACKED_BYTES = 64 * KIB;
const AT_ONCE_BYTES = 256 * KIB;
/** The smallest chunk of zlib. */
const SPARE_BYTES = 64;

/** An open zip whose directory is safe. Its content is checked while it is read. */
export class ZipArchive implements PackageArchive {
  readonly #file: FileHandle;
  readonly #directory: ZipDirectory;

  private constructor(file: FileHandle, directory: ZipDirectory) {
    this.#file = file;
    this.#directory = directory;
  }

  /** @throws {PackageError} as {@link readZipDirectory} */
  static async open(path: string, limits: PackageLimits): Promise<ZipArchive> {
    await using opening = new AsyncDisposableStack();
    const file = opening.use(await open(path, 'r'));
    const archive = new ZipArchive(file, await readZipDirectory(file, limits));
    opening.move();
    return archive;
  }

  /** The files, in the order of the directory. */
  get files(): readonly ArchiveFile[] {
    return this.members.map((member) => ({
      name: member.name,
      size: member.size,
      content: () => this.content(member),
      read: () => this.read(member),
    }));
  }

  /** The files as the directory describes them. */
  get members(): readonly ZipMember[] {
    return this.#directory.members;
  }

  /** Parents before their contents, without a trailing `/`. */
  get folders(): readonly string[] {
    return this.#directory.folders;
  }

  /**
   * The unpacked content of a file in blocks. Never more bytes than the directory states.
   *
   * @throws {PackageError} FILE_SIZE_WRONG, FILE_DAMAGED
   */
  async *content(
    member: ZipMember,
    isAtOnce = member.compressedSize <= AT_ONCE_PACKED_BYTES && member.size <= AT_ONCE_BYTES,
  ): AsyncGenerator<Buffer, void, undefined> {
    let size = 0;
    let checksum = 0;
    for await (const block of this.#unpacked(member, isAtOnce)) {
      size += block.length;
      if (size > member.size) throw packageError('FILE_SIZE_WRONG', { file: member.name });
      checksum = crc32(block, checksum);
      yield block;
    }
    if (size !== member.size) throw packageError('FILE_SIZE_WRONG', { file: member.name });
    if (checksum !== member.crc32) throw packageError('FILE_DAMAGED', { file: member.name });
  }

  /**
   * The whole unpacked content of a file, whose size the caller has checked. It blocks the thread, but takes half of the
   * memory of blocks, which would exist twice when they are joined.
   *
   * @throws {PackageError} as {@link content}
   */
  async read(member: ZipMember): Promise<Buffer> {
    // The size says nothing about the packed bytes of a hostile file.
    const isAtOnce = member.compressedSize <= member.size + AT_ONCE_PACKED_BYTES;
    const blocks = await Array.fromAsync(this.content(member, isAtOnce));
    return blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async *#unpacked(member: ZipMember, isAtOnce: boolean): AsyncGenerator<Buffer, void, undefined> {
    try {
      const start = await this.#dataStart(member);
      if (isAtOnce) {
        const packed = await readExactly(this.#file, start, member.compressedSize);
        yield member.deflated ? inflateAtOnce(packed, member.size) : packed;
      } else {
        const packed = this.#blocks(start, member.compressedSize);
        // The pipeline forwards every error to the stream that it returns, which throws it in the loop.
        yield* member.deflated
          ? pipeline(packed, createInflateRaw({ chunkSize: BLOCK_BYTES }), () => {})
          : packed;
      }
    } catch (error) {
      if (error instanceof PackageError || isSystemError(error)) throw error;
      throw packageError(
        isOutputTooLong(error) ? 'FILE_SIZE_WRONG' : 'FILE_DAMAGED',
        { file: member.name },
        { cause: error },
      );
    }
  }

  async #dataStart(member: ZipMember): Promise<number> {
    const header = await readExactly(this.#file, member.headerOffset, LOCAL_HEADER_BYTES);
    if (header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE) {
      throw packageError('FILE_DAMAGED', { file: member.name });
    }
    const nameBytes = header.readUInt16LE(26);
    const extraFieldBytes = header.readUInt16LE(28);
    return member.headerOffset + LOCAL_HEADER_BYTES + nameBytes + extraFieldBytes;
  }

  async *#blocks(start: number, length: number): AsyncGenerator<Buffer, void, undefined> {
    const end = start + length;
    for (let position = start; position < end; position += BLOCK_BYTES) {
      yield await readExactly(this.#file, position, Math.min(BLOCK_BYTES, end - position));
    }
  }
}

/** zlib never fills this chunk, so it needs no second one and joins none. */
function inflateAtOnce(packed: Buffer, size: number): Buffer {
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, size), chunkSize: size + SPARE_BYTES });
}

function isOutputTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
