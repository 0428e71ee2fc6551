/** A learner's answer to a question of a SCORM course, as the course reported it. */
export interface Interaction {
  id: string;
  /** The question, if the course reported it; only in SCORM 2004. */
  description: string;
  response: string;
  /** One entry for each correct answer. */
  correct: readonly string[];
  /** `correct`, `incorrect` (SCORM 1.2: `wrong`), `neutral`, `unanticipated`, a number, or empty. */
  result: string;
}

/** Whether the answer was correct; null if that is unknown. */
export function isCorrect({ result }: Interaction): boolean | null {
  if (result === 'correct') return true;
  if (result === 'incorrect' || result === 'wrong') return false;
  return null;
}

/** Reads the interactions in a unit's raw data, which may contain anything. */
export function interactionsOf(data: unknown): Interaction[] {
  return entriesOf(member(member(data, 'cmi'), 'interactions'))
    .map((entry) => ({
      id: textOf(member(entry, 'id')),
      description: textOf(member(entry, 'description')),
      response: textOf(member(entry, 'learner_response') ?? member(entry, 'student_response')),
      correct: entriesOf(member(entry, 'correct_responses')).map((each) => textOf(member(each, 'pattern'))),
      result: textOf(member(entry, 'result')),
    }))
    .filter(({ id, response, result }) => id !== '' || response !== '' || result !== '');
}

/** The entries of a collection: a list, or an object with numbers as names. */
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
