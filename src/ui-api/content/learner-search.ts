import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../../database/database.ts';

/**
 * Search for registrations by the start of the learner's id, with an index of its own
 * (`registrations_by_learner_key`). ASCII letters are in lower case there. Non-ASCII letters are searched as typed,
 * in lower case, in upper case and capitalized. SQLite folds only ASCII letters, and PostgreSQL folds by the locale
 * of the database. An accent may be part of its letter or follow it (Unicode's forms C and D).
 */

const LAST_CODE_POINT = 0x10ffff;
/** Code units between these are surrogates, not characters. */
const BEFORE_SURROGATES = 0xd7ff;
const AFTER_SURROGATES = 0xe000;

/** How the ids that begin with a text are found. */
export interface LearnerTest {
  /** A condition that the index serves, for a text that few ids begin with. */
  fromIndex: RawBuilder<SqlBool>;
  /**
   * A condition that is checked row by row, for a text that many ids begin with. No index serves it, so the rows come
   * in another order.
   */
  byRow: RawBuilder<SqlBool>;
}

/** Tests whether a learner's id begins with a text that is not empty. */
export function learnerStartsWith(dialect: Dialect, text: string): LearnerTest {
  const key =
    dialect === 'sqlite'
      ? sql<string>`lower(registrations.learner_id)`
      : sql<string>`lower(registrations.learner_id collate "C")`;
  const ranges = spellingsOf(text).map((spelling) => [spelling, afterAll(spelling)] as const);
  return { fromIndex: within(key, ranges), byRow: within(sql<string>`${key} || ''`, ranges) };
}

function within(
  key: RawBuilder<string>,
  ranges: readonly (readonly [from: string, before: string | null])[],
): RawBuilder<SqlBool> {
  const tests = ranges.map(([from, before]) =>
    before === null
      ? sql<SqlBool>`${key} >= ${from}`
      : sql<SqlBool>`(${key} >= ${from} and ${key} < ${before})`,
  );
  return sql`(${sql.join(tests, sql` or `)})`;
}

function spellingsOf(text: string): string[] {
  const cases = ['NFC', 'NFD'].flatMap((form) => {
    const [typed, small, capital] = [text, text.toLowerCase(), text.toUpperCase()].map((each) =>
      each.normalize(form),
    );
    const [first = ''] = Array.from(text);
    const title = (first.toUpperCase() + text.slice(first.length).toLowerCase()).normalize(form);
    return [typed!, small!, capital!, title];
  });
  return [...new Set(cases.map(asciiLower))];
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The smallest text after all texts that begin with this one, in the order of code points; null if there is none. */
function afterAll(text: string): string | null {
  const letters = Array.from(text, (letter) => letter.codePointAt(0)!);
  while (letters.at(-1) === LAST_CODE_POINT) letters.pop();
  const last = letters.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...letters, last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1);
}
