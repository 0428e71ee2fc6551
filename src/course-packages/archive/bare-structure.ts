import { type FileHandle, open } from 'node:fs/promises';
import { KIB } from '../../bytes.ts';
import { readExactly } from '../../file-system/read-exactly.ts';
import { packageError } from '../package-error.ts';
import type { PackageLimits } from '../package-limits.ts';
import type { ArchiveFile, PackageArchive } from './package-archive.ts';

/** The name of the file in a zip. */
const NAME = 'cmi5.xml';
/** The root element, after a declaration and comments. */
const BEGINNING_BYTES = 16 * KIB;
/** A byte order mark of UTF-8 or UTF-16, then white space. Anything else may be a damaged zip. */
const BEGINS_AS_XML = /^(?:\xEF\xBB\xBF|\xFE\xFF|\xFF\xFE)?\s*</;
/** Characters that XML cannot contain (XML 1.0 section 2.2), but zip headers do. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const NOT_XML = /[\x01-\x08\x0B\x0C\x0E-\x1F]/;

/** Whether a file is a cmi5 course structure without a zip (cmi5 section 14.1), judged by its first bytes. */
export async function isBareStructure(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const beginning = await readExactly(file, 0, Math.min(size, BEGINNING_BYTES));
  // In UTF-16, each of these characters has an additional zero byte.
  const text = beginning.toString('latin1').replaceAll('\0', '');
  return BEGINS_AS_XML.test(text) && !NOT_XML.test(text) && /<(?:\w+:)?courseStructure[\s>]/.test(text);
}

/** A package with one file, the course structure. Its units are on the web. */
export class BareStructure implements PackageArchive {
  readonly files: readonly ArchiveFile[];
  readonly folders = [];
  readonly #file: FileHandle;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.files = [
      {
        name: NAME,
        size,
        async *content() {
          yield await this.read();
        },
        read: () => readExactly(file, 0, size),
      },
    ];
  }

  /** @throws {PackageError} MANIFEST_TOO_LARGE */
  static async open(path: string, limits: PackageLimits): Promise<BareStructure> {
    await using opening = new AsyncDisposableStack();
    const file = opening.use(await open(path, 'r'));
    const { size } = await file.stat();
    const limit = limits.manifestBytes;
    if (size > limit) throw packageError('MANIFEST_TOO_LARGE', { file: NAME, limit });
    opening.move();
    return new BareStructure(file, size);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
