import type { SourceFile } from './course-files.ts';
import { describeCourse } from './describe-course.ts';
import type { PackageDescription } from './package-description.ts';
import { packageError } from './package-error.ts';
import { DEFAULT_PACKAGE_LIMITS } from './package-limits.ts';

/** The names of files that describe a course, at its root or in the single folder around it. */
const DESCRIBING =
  /^(?:[^/]+\/)?(?:imsmanifest\.xml|cmi5\.xml|tincan\.xml|[^/]+\.(?:crs|au|des|cst|pre|cmp|ort))$/i;

/** Whether a file may describe the course. */
export function mayDescribeCourse(path: string): boolean {
  return DESCRIBING.test(path);
}

/** The files of a course that was unpacked earlier. */
export interface StoredCourseFiles {
  /** The path of every file. */
  readonly names: readonly string[];
  /** The contents, by path, of those that {@link mayDescribeCourse}. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * Describes an unpacked course again. Errors that an earlier release accepted are warnings.
 *
 * @param onPiece called before each piece of a manifest is read
 * @throws {PackageError} if the manifest cannot be read
 */
export async function describeStoredCourse(
  { names, contents }: StoredCourseFiles,
  onPiece?: () => void,
): Promise<PackageDescription> {
  const files = names.map((name): SourceFile => {
    const content = contents.get(name);
    return {
      name,
      size: content?.length ?? 0,
      read: async () => {
        if (content === undefined) throw packageError('FILE_DAMAGED', { file: name });
        return content;
      },
    };
  });
  return await describeCourse(files, { limits: DEFAULT_PACKAGE_LIMITS, isStored: true, onPiece });
}
