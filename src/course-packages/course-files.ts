import { nameKey } from './archive/zip-names.ts';
import { type PackageError, packageError, quoted } from './package-error.ts';
import type { PackageLimits } from './package-limits.ts';
import { decodeText, type PiecewiseText } from './text-decoding.ts';
import { parseXml, type XmlElement } from './xml-tree.ts';

/** Maximum number of warnings: further ones usually repeat the first. */
const WARNINGS_SHOWN = 20;

/** A file of a course. */
export interface SourceFile {
  /** Its path, with `/` between its segments. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** The whole content. @throws {PackageError} FILE_SIZE_WRONG, FILE_DAMAGED */
  read(): Promise<Uint8Array>;
}

/** The files of a course, relative to the folder of its manifest, and the warnings about it. */
export class CourseFiles {
  readonly limits: PackageLimits;
  readonly #isStored: boolean;
  readonly #onPiece: () => void;
  readonly #files: readonly SourceFile[];
  readonly #root: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #warnings: string[] = [];
  #unshownWarnings = 0;

  /**
   * @param root the folder of the manifest: empty, or with a trailing `/`
   * @param isStored whether the course was accepted earlier, perhaps by a release that was less strict
   * @param onPiece called before each piece of a manifest is read
   */
  constructor(
    files: readonly SourceFile[],
    root: string,
    {
      limits,
      isStored,
      onPiece = () => {},
    }: { limits: PackageLimits; isStored: boolean; onPiece?: (() => void) | undefined },
  ) {
    this.limits = limits;
    this.#isStored = isStored;
    this.#onPiece = onPiece;
    this.#files = files;
    this.#root = root;
    this.#names = new Map(files.map(({ name }) => [nameKey(name), name]));
  }

  /**
   * Rejects an error that does not prevent playing. In a course that is already stored, it is only a warning.
   *
   * @throws {PackageError} the given one
   */
  refuse(fault: PackageError): void {
    if (!this.#isStored) throw fault;
    this.warn(fault.message);
  }

  /** Whether there is only the manifest, and the whole course is elsewhere. */
  get isManifestAlone(): boolean {
    return this.#files.length === 1;
  }

  /** Adds a warning for the course's author, once. */
  warn(warning: string): void {
    if (this.#warnings.includes(warning)) return;
    if (this.#warnings.length < WARNINGS_SHOWN) this.#warnings.push(warning);
    else this.#unshownWarnings += 1;
  }

  /** Adds a warning that the author must see: it comes before the others, however many there are. */
  warnFirst(warning: string): void {
    this.#warnings.unshift(warning);
    if (this.#warnings.length <= WARNINGS_SHOWN) return;
    this.#warnings.pop();
    this.#unshownWarnings += 1;
  }

  get warnings(): string[] {
    const unshown = this.#unshownWarnings;
    if (unshown === 0) return [...this.#warnings];
    return [...this.#warnings, unshown === 1 ? 'And 1 more warning.' : `And ${unshown} more warnings.`];
  }

  /** The files in the manifest's own folder whose name matches. */
  beside(pattern: RegExp): SourceFile[] {
    return this.#files.filter(({ name }) => {
      const ownName = name.slice(this.#root.length);
      return name.startsWith(this.#root) && !ownName.includes('/') && pattern.test(ownName);
    });
  }

  /**
   * The exact name of a file that a manifest names, ignoring case; null if it does not exist.
   *
   * @param path from the manifest's folder, without `..`
   */
  find(path: string): string | null {
    const wanted = this.#root + path;
    const found = this.#names.get(nameKey(wanted)) ?? null;
    if (found !== null && found.normalize('NFC') !== wanted.normalize('NFC')) {
      this.warn(
        `The manifest names the file ${quoted(wanted)} with different upper and lower case: its name is ${quoted(found)}.`,
      );
    }
    return found;
  }

  /** @throws {PackageError} MANIFEST_TOO_LARGE, MANIFEST_ENCODING, FILE_SIZE_WRONG, FILE_DAMAGED */
  async readText(member: SourceFile): Promise<PiecewiseText> {
    const limit = this.limits.manifestBytes;
    if (member.size > limit) throw packageError('MANIFEST_TOO_LARGE', { file: member.name, limit });
    const text = decodeText(await member.read(), member.name);
    if (text.guessed) {
      this.warn(
        `The file ${quoted(member.name)} is not UTF-8 and declares no other encoding that fits. ` +
          'It was read as Windows-1252.',
      );
    }
    return { pieces: () => this.#pieces(text) };
  }

  *#pieces(text: PiecewiseText): Generator<string> {
    for (const piece of text.pieces()) {
      this.#onPiece();
      yield piece;
    }
  }

  /**
   * @param rootName the name of the root element
   * @throws {PackageError} MANIFEST_INVALID for another root element; as {@link readText} and {@link parseXml}
   */
  async readXml(member: SourceFile, rootName: string): Promise<XmlElement> {
    const root = await parseXml(await this.readText(member), member.name, this.limits, (prefix) => {
      this.warn(
        `The file ${quoted(member.name)} uses the prefix ${quoted(prefix)} without declaring it. ` +
          'It was read as if it were declared.',
      );
    });
    if (root.name === rootName) return root;
    const reason = `it starts with the element ${quoted(root.name)}, not "${rootName}"`;
    throw packageError('MANIFEST_INVALID', { file: member.name, reason });
  }
}
