/** Maximum number of courses of an equivalent, which limits the cost of reading a page of equivalents. */
export const MAX_EQUIVALENT_COURSES = 200;

/** One course in several languages. Times are in epoch milliseconds. */
export interface Equivalent {
  id: number;
  name: string;
  folderId: number;
  /** Names of the folders from the root down to the equivalent's own, joined with ` > `. */
  location: string;
  courses: EquivalentCourse[];
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** A course of an equivalent. */
export interface EquivalentCourse {
  courseId: number;
  /** BCP 47, in canonical form. */
  language: string;
  /** The course's name. */
  name: string;
}

/** The new state of an equivalent. The folder defaults to the root. Languages need not be in canonical form. */
export interface EquivalentInput {
  name: string;
  folderId: number | null;
  courses: readonly { courseId: number; language: string }[];
}
