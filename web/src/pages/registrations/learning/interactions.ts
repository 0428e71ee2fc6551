/** What a learner answered to a question of a SCORM course, in the course's own words. */
export interface Interaction {
  id: string;
  /** For example `choice`; empty when the course did not say. */
  type: string;
  /** The question, where the course told it; SCORM 2004 alone. */
  description: string;
  response: string;
  /** One for each answer that is right. */
  correct: readonly string[];
  /** `correct`, `incorrect` (SCORM 1.2: `wrong`), `neutral`, `unanticipated`, a number, or empty. */
  result: string;
}

/** Whether the learner was right; null where that cannot be said. */
export function isRight({ result }: Interaction): boolean | null {
  if (result === 'correct') return true;
  if (result === 'incorrect' || result === 'wrong') return false;
  return null;
}

/** Reads the interactions of a unit's raw data, whatever a course has put there. */
export function interactionsOf(data: unknown): Interaction[] {
  return entriesOf(member(member(data, 'cmi'), 'interactions'))
    .map((entry) => ({
      id: textOf(member(entry, 'id')),
      type: textOf(member(entry, 'type')),
      description: textOf(member(entry, 'description')),
      response: textOf(member(entry, 'learner_response') ?? member(entry, 'student_response')),
      correct: entriesOf(member(entry, 'correct_responses')).map((each) => textOf(member(each, 'pattern'))),
      result: textOf(member(entry, 'result')),
    }))
    .filter(({ id, response, result }) => id !== '' || response !== '' || result !== '');
}

/** The entries of a collection: a list, or an object whose members are named by their numbers. */
function entriesOf(collection: unknown): unknown[] {
  if (Array.isArray(collection)) return collection;
  if (typeof collection !== 'object' || collection === null) return [];
  const children = member(collection, 'childArray');
  if (Array.isArray(children)) return children;
  return Object.entries(collection)
    .filter(([name]) => /^\d+$/.test(name))
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([, entry]) => entry);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
