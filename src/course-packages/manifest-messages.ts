import type { LearningStandard } from './learning-standard.ts';
import type { PackageErrorCode } from './package-error.ts';
import type { PackageLimits } from './package-limits.ts';
import type { StoredCourseFiles } from './stored-course.ts';

/** What a thread is asked to read: the manifest of a package on disk, or of a course that was unpacked earlier. */
export type ManifestRequest =
  | { readonly kind: 'package'; readonly file: string; readonly limits: Partial<PackageLimits> }
  | { readonly kind: 'stored'; readonly files: StoredCourseFiles };

/** What a manifest says. Its large parts are JSON text: whoever stores them need not build them first. */
export interface ReadManifest {
  readonly learningStandard: LearningStandard;
  readonly title: string;
  readonly warnings: readonly string[];
  /** JSON: `LaunchUnit[]`. */
  readonly units: string;
  /** JSON: a `CourseStructure`. */
  readonly structure: string;
}

/** What a thread answers. */
export type ManifestAnswer =
  | { readonly kind: 'read'; readonly manifest: ReadManifest }
  | { readonly kind: 'refused'; readonly code: PackageErrorCode; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** Of an error of the system, for example ENOSPC. */
      readonly code: string | null;
      readonly stack: string | null;
    };
