/** Characters of a hostile text that a message shows. */
const SHOWN_CHARACTERS = 100;

/**
 * A text from a package as a message may hold it: quoted, of bounded length, with control, formatting and
 * unpaired surrogate characters written as `\u{…}` so that they cannot change what a terminal or a page shows.
 */
export function quoted(text: string): string {
  const start = Array.from(text.slice(0, 2 * SHOWN_CHARACTERS + 2));
  const shown = start
    .slice(0, SHOWN_CHARACTERS)
    .map((character) =>
      /[\p{C}\p{Zl}\p{Zp}]/u.test(character) ? `\\u{${character.codePointAt(0)!.toString(16)}}` : character,
    )
    .join('');
  return start.length > SHOWN_CHARACTERS ? `"${shown}…"` : `"${shown}"`;
}

/** What can be wrong with a package, and how it is said to the person who made or uploaded it. */
const MESSAGES = {
  ZIP_UNREADABLE: () =>
    'This is not a zip file that can be read. It may be damaged, incomplete, or another kind of file.',
  ZIP_TOO_MANY_ENTRIES: (d: { limit: number }) =>
    `The zip holds more than ${d.limit} files and folders, which is the most that a course may have.`,
  ZIP_TOO_LARGE: (d: { limit: number }) =>
    `Unpacked, the course would take more than ${d.limit} bytes, which is the most that a course may take.`,
  FILE_TOO_LARGE: (d: { file: string; limit: number }) =>
    `Unpacked, the file ${quoted(d.file)} would take more than ${d.limit} bytes, which is the most that one file may take.`,
  ZIP_RATIO_TOO_HIGH: (d: { file: string | null; limit: number }) =>
    `${d.file === null ? 'The zip' : `The file ${quoted(d.file)}`} would grow to more than ${d.limit} times its size when it is unpacked. That is not what course content does, so it is taken for an attack.`,
  ZIP_SPECIAL_FILE: (d: { file: string }) =>
    `${quoted(d.file)} is a link or a device, not a file or a folder. Replace it by the file itself and zip the course again.`,
  ZIP_ENCRYPTED: (d: { file: string }) =>
    `The file ${quoted(d.file)} is protected with a password. Zip the course again without one.`,
  ZIP_METHOD_UNSUPPORTED: (d: { file: string; method: number }) =>
    `The file ${quoted(d.file)} is packed in a way that is not supported (method ${d.method}). Zip the course again with the usual "deflate" method.`,
  ZIP_DUPLICATE_NAME: (d: { file: string; other: string }) =>
    `The files ${quoted(d.file)} and ${quoted(d.other)} have the same name, or names that differ in upper and lower case only.`,
  ZIP_NAME_CONFLICT: (d: { file: string }) =>
    `${quoted(d.file)} is a file, and at the same time a folder that holds other files.`,
  ZIP_NAME_INVALID: (d: { file: string; reason: string }) =>
    `The zip holds a file with a name that cannot be accepted, ${quoted(d.file)}: ${d.reason}.`,
  ZIP_OVERLAP: (d: { file: string }) =>
    `The zip says that the file ${quoted(d.file)} shares its bytes with another file. Such a zip is damaged or an attack.`,
  FILE_SIZE_WRONG: (d: { file: string }) =>
    `The file ${quoted(d.file)} does not have the size that the zip says. The zip is damaged or an attack.`,
  FILE_DAMAGED: (d: { file: string }) =>
    `The file ${quoted(d.file)} is damaged: its content is not what was packed. Zip the course again, or upload it again.`,
  MANIFEST_MISSING: () =>
    'The zip holds no course: there is no imsmanifest.xml (SCORM), cmi5.xml, tincan.xml (xAPI) or .crs file (AICC) in it.',
  MANIFEST_AMBIGUOUS: (d: { folder: string; other: string }) =>
    `The zip holds more than one course, in the folders ${quoted(d.folder)} and ${quoted(d.other)}. Upload each as a zip of its own.`,
  MANIFEST_TOO_DEEP: (d: { file: string }) =>
    `The course is too deep in the zip: its manifest is ${quoted(d.file)}. Zip what is in that folder, not the folders around it.`,
  MANIFEST_TOO_LARGE: (d: { file: string; limit: number }) =>
    `The file ${quoted(d.file)} has more than ${d.limit} bytes, which is too much for a description of a course.`,
  MANIFEST_TOO_COMPLEX: (d: { file: string }) =>
    `The file ${quoted(d.file)} has too many or too deeply nested elements for a description of a course.`,
  MANIFEST_TOO_SLOW: (d: { seconds: number }) =>
    `The description of the course could not be read within ${d.seconds} seconds. It is too complex, or the service is very busy.`,
  MANIFEST_ENCODING: (d: { file: string; encoding: string }) =>
    `The file ${quoted(d.file)} cannot be read as ${quoted(d.encoding)} text. Save it as UTF-8.`,
  XML_MALFORMED: (d: { file: string; reason: string }) =>
    `The file ${quoted(d.file)} is not well-formed XML (line:column: ${quoted(d.reason)}).`,
  XML_DOCTYPE: (d: { file: string }) =>
    `The file ${quoted(d.file)} has a document type declaration (<!DOCTYPE …>). Remove it: no course needs one, and it can be used for attacks.`,
  STANDARD_UNSUPPORTED: (d: { file: string }) =>
    `The file ${quoted(d.file)} describes neither a SCORM 1.1 or 1.2 nor a SCORM 2004 course. Plain IMS content and Common Cartridges cannot be launched.`,
  MANIFEST_INVALID: (d: { file: string; reason: string }) =>
    `The file ${quoted(d.file)} is wrong: ${d.reason}.`,
  AICC_FILE_MISSING: (d: { extension: string }) =>
    `The AICC course is incomplete: it has a .crs file, but no ${d.extension} file beside it.`,
  NOTHING_TO_LAUNCH: (d: { file: string }) =>
    `The file ${quoted(d.file)} names nothing that a learner could open: no item or activity that points to content.`,
  TOO_MANY_UNITS: (d: { file: string; limit: number }) =>
    `The file ${quoted(d.file)} names more than ${d.limit} units that a learner can open.`,
  UNIT_ID_TOO_LONG: (d: { unit: string; limit: number }) =>
    `The identifier of the unit ${quoted(d.unit)} has more than ${d.limit} bytes. Give the unit a shorter one.`,
  LAUNCH_INVALID: (d: { unit: string; launch: string; reason: string }) =>
    `The unit ${quoted(d.unit)} cannot be opened at ${quoted(d.launch)}: ${d.reason}.`,
  LAUNCH_FILE_MISSING: (d: { unit: string; launch: string }) =>
    `The unit ${quoted(d.unit)} opens ${quoted(d.launch)}, but the zip holds no such file.`,
};

type Messages = typeof MESSAGES;

/** The name of one thing that can be wrong with a package. */
export type PackageErrorCode = keyof Messages;

/**
 * A package was refused, and the package is at fault: `code` says why to a program, `message` to a person.
 * Faults of the machine (no space left, no permission) are never wrapped in one.
 */
export class PackageError extends Error {
  override readonly name = 'PackageError';
  readonly code: PackageErrorCode;

  constructor(code: PackageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error of the catalogue with this code, its details put into words. */
export function packageError<Code extends PackageErrorCode>(
  code: Code,
  details: Parameters<Messages[Code]> extends [infer Details] ? Details : Record<string, never>,
  options?: ErrorOptions,
): PackageError {
  const message = MESSAGES[code] as (values: typeof details) => string;
  return new PackageError(code, message(details), options);
}
