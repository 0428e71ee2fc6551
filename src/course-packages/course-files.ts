import { packageError, quoted } from './package-error.ts';
import type { PackageLimits } from './package-limits.ts';
import { decodeText } from './text-decoding.ts';
import { parseXml, type XmlElement } from './xml-tree.ts';
import type { ZipArchive } from './zip-archive.ts';
import type { ZipMember } from './zip-directory.ts';
import { nameKey } from './zip-names.ts';

/** Warnings beyond these only repeat what the first ones say. */
const WARNINGS_SHOWN = 20;

/** The files of one course in an archive, seen from the folder of its manifest; and the warnings about it. */
export class CourseFiles {
  readonly limits: PackageLimits;
  readonly #archive: ZipArchive;
  readonly #root: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #warnings: string[] = [];
  #unshownWarnings = 0;

  /** @param root the folder of the manifest: empty, or with a `/` at its end */
  constructor(archive: ZipArchive, root: string, limits: PackageLimits) {
    this.limits = limits;
    this.#archive = archive;
    this.#root = root;
    this.#names = new Map(archive.members.map(({ name }) => [nameKey(name), name]));
  }

  /** Adds a warning for the course's author. */
  warn(warning: string): void {
    if (this.#warnings.length < WARNINGS_SHOWN) this.#warnings.push(warning);
    else this.#unshownWarnings += 1;
  }

  get warnings(): string[] {
    const unshown = this.#unshownWarnings;
    return unshown === 0 ? [...this.#warnings] : [...this.#warnings, `And ${unshown} more warnings.`];
  }

  /** The files in the manifest's own folder whose name matches. */
  beside(pattern: RegExp): ZipMember[] {
    return this.#archive.members.filter(({ name }) => {
      const ownName = name.slice(this.#root.length);
      return name.startsWith(this.#root) && !ownName.includes('/') && pattern.test(ownName);
    });
  }

  /**
   * The exact name in the archive of a file that a manifest names, in whatever case; null when there is none.
   *
   * @param path from the manifest's folder, without `..`
   */
  find(path: string): string | null {
    const wanted = this.#root + path;
    const found = this.#names.get(nameKey(wanted)) ?? null;
    if (found !== null && found.normalize('NFC') !== wanted.normalize('NFC')) {
      this.warn(
        `The manifest names the file ${quoted(wanted)} with other upper and lower case: it is ${quoted(found)}.`,
      );
    }
    return found;
  }

  /** @throws {PackageError} MANIFEST_TOO_LARGE, MANIFEST_ENCODING, FILE_SIZE_WRONG, FILE_DAMAGED */
  async readText(member: ZipMember): Promise<string> {
    const limit = this.limits.manifestBytes;
    if (member.size > limit) throw packageError('MANIFEST_TOO_LARGE', { file: member.name, limit });
    const { text, guessed } = decodeText(await this.#archive.read(member), member.name);
    if (guessed) {
      this.warn(
        `The file ${quoted(member.name)} names no encoding and is not UTF-8. It was read as Windows-1252.`,
      );
    }
    return text;
  }

  /** @throws {PackageError} as {@link readText} and {@link parseXml} */
  async readXml(member: ZipMember): Promise<XmlElement> {
    return parseXml(await this.readText(member), member.name, this.limits);
  }
}
