/** A name that is in no data model. */
const UNDEFINED = 'cmi.undefined';

/** Groups of elements. A group is not an element itself, so a course can neither read nor set it. */
export const GROUPS_12 = groups(
  'core|score|objectives|interactions|correct_responses|student_data|student_preference',
);
export const GROUPS_2004 = groups(
  'score|objectives|interactions|correct_responses|learner_preference|comments_from_learner|comments_from_lms',
);

/**
 * The element to pass to the engine. The engine treats each of its own properties as an element, so a course that sets
 * a group would destroy it.
 */
export function elementOf(element: string, ofGroups: RegExp): string {
  if (element === '' || (element.startsWith('cmi.') && !ofGroups.test(element))) return element;
  return UNDEFINED;
}

/**
 * Whether an element belongs to a list item that does not exist.
 * @param countOf returns the length of a list
 */
export function isBeyond(element: string, countOf: (list: string) => number): boolean {
  return [...element.matchAll(/\.(\d+)(?=\.)/g)].some(
    ({ index, 1: place }) => Number(place) >= countOf(element.slice(0, index)),
  );
}

function groups(names: string): RegExp {
  return new RegExp(`\\.(?:${names}|\\d+)$`);
}
