import type { Group } from '../assets/group.ts';

/** Maximum number of courses of an equivalent, which limits the cost of reading a page of equivalents. */
export const MAX_EQUIVALENT_COURSES = 200;

/** One course in several languages. */
export type Equivalent = Group<EquivalentCourse>;

/** A course of an equivalent, as it is given: its language need not be in canonical form. */
export interface GivenEquivalentCourse {
  courseId: number;
  /** BCP 47. */
  language: string;
}

/** A course of an equivalent, with its language in canonical form. */
export interface EquivalentCourse extends GivenEquivalentCourse {
  /** The course's name. */
  name: string;
}
