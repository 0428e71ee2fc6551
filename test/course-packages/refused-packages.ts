import { deflateRawSync } from 'node:zlib';
import type { PackageErrorCode } from '../../src/course-packages/package-error.ts';
import {
  aiccFiles,
  SCORM_12,
  scorm12Files,
  scorm12Package,
  scormManifest,
  zipOf,
} from '../support/course-packages.ts';
import { type RawEntry, rawZip, zipNamingImpossiblePosition } from './raw-zip.ts';

/** A package that is refused, and the step that refuses it. */
export interface RefusedPackage {
  readonly code: PackageErrorCode;
  /**
   * The step that finds the fault: `zip`, the directory, so that it is neither inspected nor extracted; `content`, only
   * the extraction, which reads every byte; `course`, only the inspection, which understands the manifest.
   */
  readonly seenIn: 'zip' | 'content' | 'course';
  readonly make: () => Promise<Buffer>;
}

const MEBIBYTE = 1024 * 1024;
const SYMBOLIC_LINK = 0o120777;
const CHARACTER_DEVICE = 0o020666;
const ENCRYPTED = 0x1;
const BZIP2 = 12;

/** One package for each reason to refuse a package, by the name of the reason. */
export const REFUSED_PACKAGES = {
  'not a zip': zip('ZIP_UNREADABLE', async () => Buffer.from('<html>nope</html>'.repeat(50))),
  'an empty file': zip('ZIP_UNREADABLE', async () => Buffer.alloc(0)),
  'a truncated zip': zip('ZIP_UNREADABLE', async () => (await scorm12Package()).subarray(0, -40)),
  'a zip that names an impossible position': zip('ZIP_UNREADABLE', async () => zipNamingImpossiblePosition()),
  'a file that lies beyond the end': courseWith('ZIP_UNREADABLE', {
    name: 'a.bin',
    packed: Buffer.alloc(9),
    claimedPackedSize: 1e6,
  }),
  'a path that climbs out': courseWith('ZIP_NAME_INVALID', { name: '../../evil.txt' }),
  'a path that climbs out further in': courseWith('ZIP_NAME_INVALID', { name: 'a/../../evil.txt' }),
  'an absolute path': courseWith('ZIP_NAME_INVALID', { name: '/etc/evil.txt' }),
  'a path with a drive': courseWith('ZIP_NAME_INVALID', { name: 'C:/evil.txt' }),
  'a path with backslashes': courseWith('ZIP_NAME_INVALID', { name: '..\\..\\evil.txt' }),
  'a name with a NUL': courseWith('ZIP_NAME_INVALID', { name: 'a.txt\0.html' }),
  'a name with a line break': courseWith('ZIP_NAME_INVALID', { name: 'a\nb.txt' }),
  'an empty name': courseWith('ZIP_NAME_INVALID', { name: '' }),
  'an empty folder name': courseWith('ZIP_NAME_INVALID', { name: 'a//b.txt' }),
  'a name that is too long': courseWith('ZIP_NAME_INVALID', { name: 'a/'.repeat(30) + 'b'.repeat(1000) }),
  'a file name that is too long': courseWith('ZIP_NAME_INVALID', { name: 'b'.repeat(256) }),
  'a path that is too deep': courseWith('ZIP_NAME_INVALID', { name: `${'a/'.repeat(50)}b.txt` }),
  'a symbolic link': courseWith('ZIP_SPECIAL_FILE', {
    name: 'link',
    content: '/etc/passwd',
    mode: SYMBOLIC_LINK,
  }),
  'a device': courseWith('ZIP_SPECIAL_FILE', { name: 'zero', mode: CHARACTER_DEVICE }),
  'an encrypted file': courseWith('ZIP_ENCRYPTED', { name: 'a.txt', flags: ENCRYPTED }),
  'another compression method': courseWith('ZIP_METHOD_UNSUPPORTED', { name: 'a.txt', method: BZIP2 }),
  'the same name twice': courseWith('ZIP_DUPLICATE_NAME', { name: 'index.html' }),
  'names that differ in case only': courseWith('ZIP_DUPLICATE_NAME', { name: 'INDEX.html' }),
  'names that differ in Unicode form only': courseWith(
    'ZIP_DUPLICATE_NAME',
    { name: 'caf\u00e9.txt' },
    { name: 'cafe\u0301.txt' },
  ),
  'a file where a folder must be': courseWith('ZIP_NAME_CONFLICT', { name: 'a' }, { name: 'a/b.txt' }),
  'entries that share bytes': courseWith(
    'ZIP_OVERLAP',
    { name: 'kernel.bin', content: Buffer.alloc(MEBIBYTE) },
    { name: 'again.bin', content: Buffer.alloc(MEBIBYTE), sharesBytesOf: 2 },
  ),
  'a bomb in one file': courseWith('ZIP_RATIO_TOO_HIGH', {
    name: 'zeros.bin',
    content: Buffer.alloc(20 * MEBIBYTE),
  }),
  'a bomb in many files': courseWith(
    'ZIP_RATIO_TOO_HIGH',
    ...Array.from({ length: 6 }, (_, index) => ({
      name: `zeros-${index}.bin`,
      content: Buffer.alloc(4 * MEBIBYTE),
    })),
  ),
  'more entries than are allowed': zip('ZIP_TOO_MANY_ENTRIES', async () => rawZip(courseEntries(), 60_000)),
  'more folders than are allowed': courseWith(
    'ZIP_TOO_MANY_ENTRIES',
    ...Array.from({ length: 600 }, (_, index) => ({ name: `${`${index}/`.repeat(38)}a.txt` })),
  ),
  'a file that claims too much': courseWith('FILE_TOO_LARGE', { name: 'big.bin', claimedSize: 2 ** 31 }),
  'files that claim too much together': courseWith(
    'ZIP_TOO_LARGE',
    ...Array.from({ length: 3 }, (_, index) => ({
      name: `big-${index}.bin`,
      packed: Buffer.alloc(5 * MEBIBYTE),
      claimedSize: 900 * MEBIBYTE,
    })),
  ),
  'a file that is larger than it claims': content('FILE_SIZE_WRONG', {
    name: 'zeros.bin',
    content: 'x'.repeat(500),
    claimedSize: 10,
  }),
  'a large file that is larger than it claims': content('FILE_SIZE_WRONG', {
    name: 'zeros.bin',
    packed: deflateRawSync(Buffer.alloc(100 * MEBIBYTE)),
    claimedSize: 10 * MEBIBYTE,
  }),
  'a file that is smaller than it claims': content('FILE_SIZE_WRONG', {
    name: 'a.bin',
    content: 'abc',
    claimedSize: 4,
  }),
  'a wrong checksum': content('FILE_DAMAGED', { name: 'a.bin', content: 'abc', claimedChecksum: 1 }),
  'bytes that cannot be unpacked': content('FILE_DAMAGED', {
    name: 'a.bin',
    packed: Buffer.alloc(30, 0xff),
    claimedSize: 40,
  }),
  'no manifest': course('MANIFEST_MISSING', { 'index.html': 'Hello' }),
  'a manifest two folders deep': course('MANIFEST_TOO_DEEP', { 'a/b/imsmanifest.xml': '<manifest/>' }),
  'two courses': course('MANIFEST_AMBIGUOUS', { 'a/imsmanifest.xml': '<manifest/>', 'b/cmi5.xml': '<a/>' }),
  'a manifest that is too large': manifest(
    'MANIFEST_TOO_LARGE',
    `<manifest>${' '.repeat(9 * MEBIBYTE)}</manifest>`,
  ),
  'a malformed manifest': manifest('XML_MALFORMED', '<manifest><organizations>'),
  'an empty manifest': manifest('XML_MALFORMED', ''),
  'a manifest in an unknown encoding': manifest(
    'MANIFEST_ENCODING',
    '<?xml version="1.0" encoding="klingon"?><manifest/>',
  ),
  'a document type declaration': manifestWithProlog('<!DOCTYPE manifest>'),
  'an entity that reads a file': manifestWithProlog(
    '<!DOCTYPE manifest [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
  ),
  'entities that multiply': manifestWithProlog(
    `<!DOCTYPE manifest [<!ENTITY a "lol">${[...'bcdefghij'].map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`).join('')}]>`,
  ),
  'a manifest that is too deep': manifest('MANIFEST_TOO_COMPLEX', '<a>'.repeat(5000) + '</a>'.repeat(5000)),
  'a manifest of too many elements': manifest(
    'MANIFEST_TOO_COMPLEX',
    `<manifest>${'<a/>'.repeat(300_000)}</manifest>`,
  ),
  'a manifest of too many attributes': manifest(
    'MANIFEST_TOO_COMPLEX',
    `<manifest ${Array.from({ length: 300_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
  ),
  'another document as manifest': manifest('MANIFEST_INVALID', '<html/>'),
  'a Common Cartridge': manifest(
    'STANDARD_UNSUPPORTED',
    scormManifest({ ...SCORM_12, schema: 'IMS Common Cartridge', version: '1.1.0' }),
  ),
  'no organization': manifest('NOTHING_TO_LAUNCH', scormManifest(SCORM_12, { items: '' })),
  'a launch file that is not there': course('LAUNCH_FILE_MISSING', {
    'imsmanifest.xml': scormManifest(SCORM_12),
  }),
  'an AICC course without units file': course('AICC_FILE_MISSING', { ...aiccFiles(), 'course.au': null }),
} as const satisfies Record<string, RefusedPackage>;

function zip(code: PackageErrorCode, make: () => Promise<Buffer>): RefusedPackage {
  return { code, seenIn: 'zip', make };
}

/** A course that would be accepted, but for these entries besides. */
function courseWith(code: PackageErrorCode, ...entries: readonly RawEntry[]): RefusedPackage {
  return zip(code, async () => rawZip([...courseEntries(), ...entries]));
}

function content(code: PackageErrorCode, entry: RawEntry): RefusedPackage {
  return { code, seenIn: 'content', make: async () => rawZip([...courseEntries(), entry]) };
}

function course(code: PackageErrorCode, files: Record<string, string | Buffer | null>): RefusedPackage {
  const included = Object.entries(files).filter(
    (file): file is [string, string | Buffer] => file[1] !== null,
  );
  return { code, seenIn: 'course', make: async () => zipOf(Object.fromEntries(included)) };
}

function manifest(code: PackageErrorCode, text: string): RefusedPackage {
  return course(code, { ...scorm12Files(), 'imsmanifest.xml': text });
}

function manifestWithProlog(prolog: string): RefusedPackage {
  return manifest('XML_DOCTYPE', scormManifest(SCORM_12, { prolog, title: 'A' }));
}

function courseEntries(): RawEntry[] {
  return Object.entries(scorm12Files()).map(([name, text]) => ({ name, content: text }));
}
