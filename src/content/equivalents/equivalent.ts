/** One course in several languages. Moments are epoch milliseconds. */
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
  /** BCP 47, in its canonical spelling. */
  language: string;
  /** The course's name. */
  name: string;
}

/** An equivalent as it is to be. Without a folder it goes into the root; languages are spelled as people do. */
export interface EquivalentInput {
  name: string;
  folderId: number | null;
  courses: readonly { courseId: number; language: string }[];
}
