import { isUtf8 } from 'node:buffer';
import { type Entry, getFileNameLowLevel } from 'yauzl';
import { inSlices } from '../../time/time-slices.ts';
import { packageError } from '../package-error.ts';
import type { PackageLimits } from '../package-limits.ts';

/** APPNOTE.TXT 4.4.4, bit 11: the name is UTF-8. */
const UTF8_FLAG = 0x800;

/**
 * The characters of code page 850 from 0x80 on. Windows in Western Europe and Brazil writes names in it. It has the letters
 * of CP437, the code page of the standard, at the same places; the others are in place of Greek, signs and box drawing.
 */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
  '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';

/** The name of the folder that contains everything. */
export const ROOT_NAME = './';
/** The limit of file systems for one segment of a path. */
const SEGMENT_BYTES = 255;

/**
 * The name of an entry: of its Unicode path field (APPNOTE.TXT 4.6.9), or else of its bytes. They decide between UTF-8 and
 * CP850, not the flag: many programs write UTF-8 without setting it, and CP850 text with a non-ASCII letter is almost never
 * valid UTF-8. A backslash separates folders, as older programs on Windows write it, against the standard. A leading
 * `./`, which tar writes, is removed, except from the name of the root.
 */
export function decodeName(entry: Entry): string {
  return textOf(entry)
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+(?=.)/s, '');
}

function textOf({ fileNameRaw, extraFields }: Entry): string {
  const text = getFileNameLowLevel(UTF8_FLAG, fileNameRaw, extraFields, true);
  const isOfField = text !== fileNameRaw.toString('utf8');
  return isOfField || isUtf8(fileNameRaw) ? text : fromCp850(fileNameRaw);
}

function fromCp850(bytes: Buffer): string {
  return Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : CP850.charAt(byte - 0x80),
  ).join('');
}

/**
 * Rejects every name that could lead outside the destination folder, or that cannot be used at all.
 *
 * @throws {PackageError} ZIP_NAME_INVALID
 */
export function refuseUnsafeName(name: string, limits: PackageLimits): void {
  const reason = unsafeName(name, limits);
  if (reason !== null) throw packageError('ZIP_NAME_INVALID', { file: name, reason });
}

function unsafeName(name: string, limits: PackageLimits): string | null {
  if (name === '') return 'it is empty';
  if (Buffer.byteLength(name) > limits.nameBytes) return `it has more than ${limits.nameBytes} bytes`;
  if (/\p{Cc}/u.test(name)) return 'it contains control characters';
  if (name.startsWith('/')) return 'it starts with "/"';
  if (/^[a-z]:/i.test(name)) return 'it starts with a drive letter';
  const segments = name.replace(/\/$/, '').split('/');
  if (segments.length > limits.depth) return `it is more than ${limits.depth} folders deep`;
  for (const segment of segments) {
    if (segment === '') return 'it contains an empty folder name';
    if (segment === '.' || segment === '..') return `it contains the folder name "${segment}"`;
    if (Buffer.byteLength(segment) > SEGMENT_BYTES) {
      return `a part of it has more than ${SEGMENT_BYTES} bytes`;
    }
  }
  return null;
}

/** Two names with the same key are the same file on a file system that ignores case or normalizes Unicode. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}

/** The names of a zip as a tree, in which every name exists once and is either a file or a folder. */
export class NameTree {
  readonly #limits: PackageLimits;
  readonly #files = new Map<string, string>();
  readonly #folders = new Set<string>();

  constructor(limits: PackageLimits) {
    this.#limits = limits;
  }

  /**
   * Every folder, including those that only file names imply. Parents before their contents, without a trailing `/`.
   */
  get folders(): readonly string[] {
    return [...this.#folders];
  }

  /** @throws {PackageError} ZIP_DUPLICATE_NAME, ZIP_TOO_MANY_ENTRIES */
  addFile(name: string): void {
    const key = nameKey(name);
    const other = this.#files.get(key);
    if (other !== undefined) throw packageError('ZIP_DUPLICATE_NAME', { file: name, other });
    this.#files.set(key, name);
    const end = name.lastIndexOf('/');
    if (end > 0) this.addFolder(name.slice(0, end));
    this.#refuseTooMany();
  }

  /** @throws {PackageError} ZIP_TOO_MANY_ENTRIES */
  addFolder(name: string): void {
    if (this.#folders.has(name)) return;
    const end = name.lastIndexOf('/');
    if (end > 0) this.addFolder(name.slice(0, end));
    this.#folders.add(name);
    this.#refuseTooMany();
  }

  /** Call it when all names have been added. @throws {PackageError} ZIP_NAME_CONFLICT */
  async refuseConflicts(): Promise<void> {
    // Normalizing names that are full of accents takes long.
    for await (const folder of inSlices(this.#folders)) {
      const file = this.#files.get(nameKey(folder));
      if (file !== undefined) throw packageError('ZIP_NAME_CONFLICT', { file });
    }
  }

  // Counted while they are added, because a few names with many segments imply a folder for each segment.
  #refuseTooMany(): void {
    const limit = this.#limits.entries;
    if (this.#files.size + this.#folders.size > limit) throw packageError('ZIP_TOO_MANY_ENTRIES', { limit });
  }
}
