/** A course. Times are in epoch milliseconds. */
export interface Course {
  id: number;
  name: string;
  folderId: number;
  /** Names of the folders from the root down to the course's own, joined with ` > `. */
  location: string;
  /** The latest uploaded version, which `learningStandard` and `warnings` describe. */
  versionId: number;
  publishedVersionId: number;
  learningStandard: string;
  /** Warnings about its package. */
  warnings: string[];
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** A version of a course: a package, as it was uploaded. */
export interface CourseVersion {
  versionId: number;
  learningStandard: string;
  /** The title in the package. */
  title: string;
  published: boolean;
  warnings: string[];
  fileCount: number;
  byteCount: number;
  createdAt: number;
}

/** A course with its versions, oldest first, limited to the newest ones. */
export interface CourseWithVersions extends Course {
  versions: CourseVersion[];
}
