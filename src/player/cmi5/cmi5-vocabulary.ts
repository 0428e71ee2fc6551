/** The vocabulary of cmi5 (sections 9 and 10). */

/** The verbs that cmi5 defines. */
export const VERBS = {
  initialized: 'http://adlnet.gov/expapi/verbs/initialized',
  completed: 'http://adlnet.gov/expapi/verbs/completed',
  passed: 'http://adlnet.gov/expapi/verbs/passed',
  failed: 'http://adlnet.gov/expapi/verbs/failed',
  terminated: 'http://adlnet.gov/expapi/verbs/terminated',
  launched: 'http://adlnet.gov/expapi/verbs/launched',
  abandoned: 'https://w3id.org/xapi/adl/verbs/abandoned',
  waived: 'https://w3id.org/xapi/adl/verbs/waived',
  satisfied: 'https://w3id.org/xapi/adl/verbs/satisfied',
} as const;

/** The name of a verb that cmi5 defines. */
export type Cmi5Verb = keyof typeof VERBS;

export const CATEGORY_CMI5 = 'https://w3id.org/xapi/cmi5/context/categories/cmi5';
export const CATEGORY_MOVE_ON = 'https://w3id.org/xapi/cmi5/context/categories/moveon';

const EXTENSIONS = 'https://w3id.org/xapi/cmi5/context/extensions';
export const SESSION_ID = `${EXTENSIONS}/sessionid`;
export const MASTERY_SCORE = `${EXTENSIONS}/masteryscore`;
export const LAUNCH_MODE = `${EXTENSIONS}/launchmode`;
export const LAUNCH_URL = `${EXTENSIONS}/launchurl`;
export const MOVE_ON = `${EXTENSIONS}/moveon`;
export const LAUNCH_PARAMETERS = `${EXTENSIONS}/launchparameters`;

/** The extension in the result that contains the reason for a waiver. */
export const REASON = 'https://w3id.org/xapi/cmi5/result/extensions/reason';

export const BLOCK_TYPE = 'https://w3id.org/xapi/cmi5/activitytype/block';
export const COURSE_TYPE = 'https://w3id.org/xapi/cmi5/activitytype/course';

/** The cmi5 name of a verb; null if cmi5 does not define the verb. */
export function cmi5VerbOf(id: string): Cmi5Verb | null {
  return (Object.keys(VERBS) as Cmi5Verb[]).find((name) => VERBS[name] === id) ?? null;
}
