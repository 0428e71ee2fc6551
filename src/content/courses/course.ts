import type { Transaction } from '../../database/database.ts';

/** A course. Moments are epoch milliseconds. */
export interface Course {
  id: number;
  name: string;
  folderId: number;
  /** Names of the folders from the root down to the course's own, joined with ` > `. */
  location: string;
  /** The version uploaded last; `learningStandard` and `warnings` are its. */
  versionId: number;
  publishedVersionId: number;
  learningStandard: string;
  /** What its package has that is odd but was accepted. */
  warnings: string[];
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** A version of a course: a package, as it was uploaded. */
export interface CourseVersion {
  versionId: number;
  learningStandard: string;
  /** The package's own. */
  title: string;
  published: boolean;
  warnings: string[];
  fileCount: number;
  byteCount: number;
  createdAt: number;
}

/** A course with its versions, oldest first; of very many the newest only. */
export interface CourseWithVersions extends Course {
  versions: CourseVersion[];
}

/**
 * Says in words what holds a course (`the account 12`), or null when nothing of its kind does. What is held is
 * not deleted.
 */
export type CourseHolder = (tx: Transaction, courseId: number) => Promise<string | null>;
