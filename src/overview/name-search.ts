import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../database/database.ts';

/**
 * Finding things by a part of their name, by the same law on both engines: letters match in either case, those beyond
 * ASCII too, and nothing in a text is a wildcard. SQLite folds the case of ASCII letters only, PostgreSQL by the locale
 * that the database was made with, so neither is left to do it: ASCII letters are compared in lower case, of every other
 * letter the pattern holds both cases (`*[äÄ]rzte*` as SQLite's GLOB, `[äÄ]rzte` as PostgreSQL's regular expression).
 * A text of ASCII alone needs no pattern on SQLite, whose GLOB takes forty times as long where much of it fits everywhere.
 * An accent may be part of its letter or follow it (Unicode's forms C and D), as long as a name keeps to one.
 */

/** Where in a name a text must stand. */
export type Position = 'anywhere' | 'start' | 'whole';

type NameColumn =
  | 'accounts.name'
  | 'api_clients.client_id'
  | 'api_clients.email'
  | 'api_clients.name'
  | 'bundles.name'
  | 'courses.name'
  | 'equivalents.name'
  | 'folders.name'
  | 'listed.name'
  | 'webhooks.name';

/** What names are compared and ordered by: their ASCII letters in lower case, in the order of code points. */
export function nameKey(dialect: Dialect, column: NameColumn): RawBuilder<string> {
  return dialect === 'sqlite' ? sql`lower(${sql.ref(column)})` : sql`lower(${sql.ref(column)} collate "C")`;
}

/** Whether a name holds the text. */
export function nameHolds(
  dialect: Dialect,
  column: NameColumn,
  text: string,
  position: Position = 'anywhere',
): RawBuilder<SqlBool> {
  const spellings = [...new Set([text.normalize('NFC'), text.normalize('NFD')])];
  const key = nameKey(dialect, column);
  const tests = spellings.map((spelling) => {
    if (dialect === 'postgres') return sql<SqlBool>`${key} ~ ${regularExpressionOf(spelling, position)}`;
    return position === 'anywhere' && Array.from(spelling).every(isAscii)
      ? sql<SqlBool>`instr(${key}, ${spelling.toLowerCase()}) > 0`
      : sql<SqlBool>`${key} glob ${globOf(spelling, position)}`;
  });
  return sql`(${sql.join(tests, sql` or `)})`;
}

function globOf(text: string, position: Position): string {
  const pattern = Array.from(text, (letter) => {
    const cases = casesOf(letter);
    return cases.length > 1 || '*?['.includes(letter) ? `[${cases.join('')}]` : cases[0];
  }).join('');
  const before = position === 'anywhere' ? '*' : '';
  const after = position === 'whole' ? '' : '*';
  return before + pattern + after;
}

function regularExpressionOf(text: string, position: Position): string {
  const pattern = Array.from(text, (letter) => {
    const cases = casesOf(letter);
    if (cases.length > 1) return `[${cases.join('')}]`;
    return /[a-z0-9]|[^\0-\x7f]/.test(cases[0]!) ? cases[0] : `\\${cases[0]}`;
  }).join('');
  const before = position === 'anywhere' ? '' : '^';
  const after = position === 'whole' ? '$' : '';
  return before + pattern + after;
}

/** A letter as it may stand in a {@link nameKey}: one of ASCII in lower case, another in each of its cases. */
function casesOf(letter: string): string[] {
  if (isAscii(letter)) return [letter.toLowerCase()];
  const upper = letter.toUpperCase();
  const cases = [letter, letter.toLowerCase(), upper, upper.toLowerCase()];
  // What has more than one letter in the other case (ß, SS) matches as it is written only.
  const single = cases.filter((each) => Array.from(each).length === 1);
  return [...new Set(single.map((each) => (isAscii(each) ? each.toLowerCase() : each)))];
}

function isAscii(letter: string): boolean {
  return letter.codePointAt(0)! < 0x80;
}
