/** Every standard that a course can follow, by the names that the API, the events and the database use. */
export const LEARNING_STANDARDS = [
  'SCORM_11',
  'SCORM_12',
  'SCORM_2004_2ND_EDITION',
  'SCORM_2004_3RD_EDITION',
  'SCORM_2004_4TH_EDITION',
  'AICC',
  'XAPI',
  'CMI5',
  'UNKNOWN',
] as const;

/** One of {@link LEARNING_STANDARDS}. Reading a package never returns `UNKNOWN`: such a package is rejected. */
export type LearningStandard = (typeof LEARNING_STANDARDS)[number];
