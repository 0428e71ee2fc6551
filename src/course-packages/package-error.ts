/** Maximum length of an untrusted text in a message. */
const SHOWN_CHARACTERS = 100;

/**
 * A text from a package as it appears in a message: quoted and of limited length. Control, formatting and unpaired
 * surrogate characters are written as `\u{…}`, so that they cannot affect a terminal or a page.
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

/** The possible errors of a package, in words for the person who made or uploaded it. */
const MESSAGES = {
  ZIP_UNREADABLE: () =>
    'This is not a zip file that can be read. It may be damaged, incomplete, or another kind of file.',
  ZIP_TOO_MANY_ENTRIES: (d: { limit: number }) =>
    `The zip contains more than ${d.limit} files and folders, the maximum for a course.`,
  ZIP_TOO_LARGE: (d: { limit: number }) =>
    `The unpacked course would have more than ${d.limit} bytes, the maximum for a course.`,
  FILE_TOO_LARGE: (d: { file: string; limit: number }) =>
    `The unpacked file ${quoted(d.file)} would have more than ${d.limit} bytes, the maximum for a file.`,
  ZIP_RATIO_TOO_HIGH: (d: { file: string | null; limit: number }) =>
    `${d.file === null ? 'The zip' : `The file ${quoted(d.file)}`} would grow to more than ${d.limit} times its size when it is unpacked. Course content does not do that, so this could be an attack.`,
  ZIP_SPECIAL_FILE: (d: { file: string }) =>
    `${quoted(d.file)} is a link or a device, not a file or a folder. Replace it with the file itself and zip the course again.`,
  ZIP_ENCRYPTED: (d: { file: string }) =>
    `The file ${quoted(d.file)} is protected with a password. Zip the course again without one.`,
  ZIP_METHOD_UNSUPPORTED: (d: { file: string; method: number }) =>
    `The file ${quoted(d.file)} is compressed with an unsupported method (${d.method}). Zip the course again with the usual "deflate" method.`,
  ZIP_DUPLICATE_NAME: (d: { file: string; other: string }) =>
    `The files ${quoted(d.file)} and ${quoted(d.other)} have the same name, or names that differ only in upper and lower case.`,
  ZIP_NAME_CONFLICT: (d: { file: string }) =>
    `${quoted(d.file)} is both a file and a folder that contains other files.`,
  ZIP_NAME_INVALID: (d: { file: string; reason: string }) =>
    `The zip contains a file with a name that is not allowed, ${quoted(d.file)}: ${d.reason}.`,
  ZIP_OVERLAP: (d: { file: string }) =>
    `In the zip, the file ${quoted(d.file)} shares its bytes with another file. The zip is damaged or an attack.`,
  FILE_SIZE_WRONG: (d: { file: string }) =>
    `The file ${quoted(d.file)} does not have the size that the zip states. The zip is damaged or an attack.`,
  FILE_DAMAGED: (d: { file: string }) =>
    `The file ${quoted(d.file)} is damaged: its content has changed since it was zipped. Upload the course again, or zip it again first.`,
  MANIFEST_MISSING: () =>
    'The zip contains no course: it has no imsmanifest.xml (SCORM), cmi5.xml, tincan.xml (xAPI) or .crs file (AICC).',
  MANIFEST_AMBIGUOUS: (d: { folder: string; other: string }) =>
    `The zip contains more than one course, in the folders ${quoted(d.folder)} and ${quoted(d.other)}. Upload each as a separate zip.`,
  MANIFEST_TOO_DEEP: (d: { file: string }) =>
    `The course is nested too deeply in the zip: its manifest is ${quoted(d.file)}. Zip the contents of that folder, not the folders around it.`,
  MANIFEST_TOO_LARGE: (d: { file: string; limit: number }) =>
    `The file ${quoted(d.file)} has more than ${d.limit} bytes, which is too large for a course description.`,
  MANIFEST_TOO_COMPLEX: (d: { file: string }) =>
    `The file ${quoted(d.file)} has too many or too deeply nested elements for a course description.`,
  MANIFEST_TOO_SLOW: (d: { seconds: number }) =>
    `The course description could not be read within ${d.seconds} seconds. It is too complex, or the service is very busy.`,
  MANIFEST_ENCODING: (d: { file: string; encoding: string }) =>
    `The file ${quoted(d.file)} cannot be read as ${quoted(d.encoding)} text. Save it as UTF-8.`,
  XML_MALFORMED: (d: { file: string; reason: string }) =>
    `The file ${quoted(d.file)} is not well-formed XML (line:column: ${quoted(d.reason)}).`,
  XML_DOCTYPE: (d: { file: string }) =>
    `The file ${quoted(d.file)} has a document type declaration (<!DOCTYPE …>). Remove it: no course needs one, and it can be used for attacks.`,
  STANDARD_UNSUPPORTED: (d: { file: string }) =>
    `The file ${quoted(d.file)} describes neither a SCORM 1.1 or 1.2 nor a SCORM 2004 course. Plain IMS content and Common Cartridges cannot be launched.`,
  MANIFEST_INVALID: (d: { file: string; reason: string }) =>
    `The file ${quoted(d.file)} is invalid: ${d.reason}.`,
  AICC_FILE_MISSING: (d: { extension: string }) =>
    `The AICC course is incomplete: it has a .crs file, but no ${d.extension} file in the same folder.`,
  NOTHING_TO_LAUNCH: (d: { file: string }) =>
    `The file ${quoted(d.file)} has nothing that a learner could open: no item or activity refers to content.`,
  TOO_MANY_UNITS: (d: { file: string; limit: number }) =>
    `The file ${quoted(d.file)} names more than ${d.limit} units that a learner can open.`,
  UNIT_ID_TOO_LONG: (d: { unit: string; limit: number }) =>
    `The identifier of the unit ${quoted(d.unit)} has more than ${d.limit} bytes. Give the unit a shorter one.`,
  UNIT_ID_INVALID: (d: { unit: string }) =>
    `The identifier of the unit ${quoted(d.unit)} contains a NUL character, with which it cannot be stored. Remove that character.`,
  LAUNCH_INVALID: (d: { unit: string; launch: string; reason: string }) =>
    `The unit ${quoted(d.unit)} cannot be opened at ${quoted(d.launch)}: ${d.reason}.`,
  LAUNCH_FILE_MISSING: (d: { unit: string; launch: string }) =>
    `The unit ${quoted(d.unit)} opens ${quoted(d.launch)}, but the zip contains no such file.`,
};

type Messages = typeof MESSAGES;

/** The code of an error of a package. */
export type PackageErrorCode = keyof Messages;

/**
 * A package was rejected because of an error in it: `code` is the reason for programs, `message` for people. Faults of
 * the machine (no space left, no permission) are other errors.
 */
export class PackageError extends Error {
  override readonly name = 'PackageError';
  readonly code: PackageErrorCode;

  constructor(code: PackageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error with this code, with its details in words. */
export function packageError<Code extends PackageErrorCode>(
  code: Code,
  details: Parameters<Messages[Code]> extends [infer Details] ? Details : Record<string, never>,
  options?: ErrorOptions,
): PackageError {
  const message = MESSAGES[code] as (values: typeof details) => string;
  return new PackageError(code, message(details), options);
}
