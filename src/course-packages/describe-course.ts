import { CourseFiles, type SourceFile } from './course-files.ts';
import { findCourseRoot } from './course-root.ts';
import { MAX_PREREQUISITES_LENGTH, type StructureItem } from './course-structure.ts';
import type { CourseOutline, PackageDescription } from './package-description.ts';
import { type PackageError, packageError, quoted } from './package-error.ts';
import type { PackageLimits } from './package-limits.ts';
import { readAicc } from './standards/aicc.ts';
import { readCmi5 } from './standards/cmi5.ts';
import { readScorm } from './standards/scorm.ts';
import { readTinCan } from './standards/tin-can.ts';

interface CourseReader {
  /** The name of the file that identifies the standard. */
  readonly manifest: RegExp;
  /** Null if the manifest belongs to something else that uses the same file name. */
  readonly read: (course: CourseFiles, manifest: SourceFile) => Promise<CourseOutline | null>;
  /** The error if `read` returns null and there is no other manifest. */
  readonly fault: (manifest: SourceFile) => PackageError;
}

const unsupported = ({ name }: SourceFile) => packageError('STANDARD_UNSUPPORTED', { file: name });
const incomplete = () => packageError('AICC_FILE_MISSING', { extension: '.au' });

/** Authoring tools put several manifests into one package. The first of these is used. */
const READERS_BY_PRECEDENCE: readonly CourseReader[] = [
  { manifest: /^imsmanifest\.xml$/i, read: readScorm, fault: unsupported },
  { manifest: /^cmi5\.xml$/i, read: readCmi5, fault: unsupported },
  { manifest: /\.crs$/i, read: readAicc, fault: incomplete },
  { manifest: /^tincan\.xml$/i, read: readTinCan, fault: unsupported },
];

/**
 * Determines which course these files are, and how it is launched.
 *
 * @param options.onPiece called before each piece of a manifest is read
 * @throws {PackageError} any error of its manifest
 */
export async function describeCourse(
  files: readonly SourceFile[],
  options: { limits: PackageLimits; isStored: boolean; onPiece?: (() => void) | undefined },
): Promise<PackageDescription> {
  const root = findCourseRoot(files.map(({ name }) => name));
  const course = new CourseFiles(files, root, options);
  if (root !== '') {
    course.warn(
      `The course is in the folder ${quoted(root)} of the zip. It is better to zip the contents of that folder.`,
    );
  }
  const outline = await readOutline(course);
  for (const { id } of outline.units) {
    // Only AICC files can contain it. PostgreSQL would store another id, under which the results are not found.
    if (id.includes('\0')) course.refuse(packageError('UNIT_ID_INVALID', { unit: id }));
    if (Buffer.byteLength(id) <= options.limits.unitIdBytes) continue;
    course.refuse(packageError('UNIT_ID_TOO_LONG', { unit: id, limit: options.limits.unitIdBytes }));
  }
  if (prerequisitesLengthOf(outline.structure.items) > MAX_PREREQUISITES_LENGTH) {
    course.warn(
      `The prerequisites have more than ${MAX_PREREQUISITES_LENGTH} characters together; those of the items after that are ignored.`,
    );
  }
  return { ...outline, title: titleOf(outline, course), warnings: course.warnings };
}

async function readOutline(course: CourseFiles): Promise<CourseOutline> {
  const candidates = READERS_BY_PRECEDENCE.flatMap(({ manifest, ...reader }) =>
    course.beside(manifest).map((member) => ({ member, ...reader })),
  );
  if (candidates.length > 1) {
    const names = candidates.map(({ member }) => quoted(member.name)).join(', ');
    course.warn(`The zip has more than one manifest (${names}).`);
  }
  for (const { member, read } of candidates) {
    const outline = await read(course, member);
    if (outline !== null) return outline;
    course.warn(`${quoted(member.name)} describes no course that can be launched, so it is ignored.`);
  }
  const { member, fault } = candidates[0]!;
  throw fault(member);
}

function prerequisitesLengthOf(items: readonly StructureItem[]): number {
  return items.reduce(
    (sum, { prerequisites, children }) =>
      sum + (prerequisites?.length ?? 0) + prerequisitesLengthOf(children),
    0,
  );
}

function titleOf(outline: CourseOutline, course: CourseFiles): string {
  if (outline.title !== '') return outline.title;
  course.warn('The manifest has no title for the course.');
  return outline.units[0]!.title;
}
