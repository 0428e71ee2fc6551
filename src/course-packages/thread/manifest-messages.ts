import type { LearningStandard } from '../learning-standard.ts';
import type { PackageErrorCode } from '../package-error.ts';
import type { PackageLimits } from '../package-limits.ts';
import type { StoredCourseFiles } from '../stored-course.ts';

/** The request to a thread: read the manifest of a package on disk, or of an unpacked course. */
export type ManifestRequest =
  | { readonly kind: 'package'; readonly file: string; readonly limits: Partial<PackageLimits> }
  | { readonly kind: 'stored'; readonly files: StoredCourseFiles };

/** The content of a manifest. Its large parts are JSON text, so they can be stored without being parsed. */
export interface ReadManifest {
  readonly learningStandard: LearningStandard;
  readonly title: string;
  readonly warnings: readonly string[];
  /** JSON: `LaunchUnit[]`. */
  readonly units: string;
  /** JSON: a `CourseStructure`. */
  readonly structure: string;
}

/** The response of a thread. */
export type ManifestResult =
  | { readonly kind: 'read'; readonly manifest: ReadManifest }
  | { readonly kind: 'refused'; readonly code: PackageErrorCode; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The code of a system error, such as ENOSPC. */
      readonly code: string | null;
      readonly stack: string | null;
    };
