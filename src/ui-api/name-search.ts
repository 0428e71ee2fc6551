import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../database/database.ts';
import { foldLetters, formsOf, isAscii } from '../database/letter-case.ts';
import { FOLD_FUNCTION } from '../database/sqlite/sqlite-functions.ts';
import { idIn } from '../http/ids.ts';

/**
 * Search by part of a name, with the same rules on both engines. All letters match in either case, non-ASCII ones too
 * ({@link foldLetters}), and a text has no wildcards. On SQLite, `lower` finds a text of ASCII alone. It is three
 * times as fast as a JavaScript function, but folds ASCII only. In any other text, it finds the longest ASCII part
 * first. On PostgreSQL, a text becomes a regular expression with every form of its letters (`[äÄ]rzte`). An accent
 * may be part of its letter or follow it (Unicode's forms C and D), as long as a name keeps to one.
 */

/** Where in a name a text must occur. */
export type Position = 'anywhere' | 'start' | 'whole';

/** The tables whose rows a search finds by a part of their name or by their id. */
type NamedTable = 'accounts' | 'bundles' | 'courses' | 'equivalents' | 'folders' | 'listed' | 'webhooks';
type NameColumn = `${NamedTable}.name` | `api_clients.${'client_id' | 'email' | 'name'}`;

/** What names are compared and ordered by: their ASCII letters in lower case, in the order of code points. */
export function nameKey(dialect: Dialect, column: NameColumn): RawBuilder<string> {
  return dialect === 'sqlite' ? sql`lower(${sql.ref(column)})` : sql`lower(${sql.ref(column)} collate "C")`;
}

/** Whether a name contains the text. */
export function nameHolds(
  dialect: Dialect,
  column: NameColumn,
  text: string,
  position: Position = 'anywhere',
): RawBuilder<SqlBool> {
  const spellings = [...new Set([text.normalize('NFC'), text.normalize('NFD')])];
  const tests = spellings.map((spelling) =>
    dialect === 'postgres'
      ? sql<SqlBool>`${nameKey(dialect, column)} ~ ${regularExpressionOf(spelling, position)}`
      : holdsOnSqlite(column, spelling, position),
  );
  return sql`(${sql.join(tests, sql` or `)})`;
}

/** Whether a name contains the text, or the text is the id. */
export function nameOrIdIs(
  dialect: Dialect,
  table: NamedTable,
  text: string,
  position: Position = 'anywhere',
): RawBuilder<SqlBool> {
  const isId = sql`${sql.ref(`${table}.id`)} = ${idIn(text) ?? 0}`;
  return sql`(${nameHolds(dialect, `${table}.name`, text, position)} or ${isId})`;
}

function holdsOnSqlite(column: NameColumn, text: string, position: Position): RawBuilder<SqlBool> {
  const sought = foldLetters(text);
  const key = nameKey('sqlite', column);
  if (isAscii(text)) return occursAt(key, sought, position);
  const tests = [occursAt(sql`${sql.raw(FOLD_FUNCTION)}(${sql.ref(column)})`, sought, position)];
  const [longest = ''] = sought.split(/[^\0-\x7f]+/).sort((a, b) => b.length - a.length);
  if (longest !== '') tests.unshift(occursAt(key, longest, 'anywhere'));
  return sql`(${sql.join(tests, sql` and `)})`;
}

function occursAt(name: RawBuilder<unknown>, sought: string, position: Position): RawBuilder<SqlBool> {
  if (position === 'anywhere') return sql`instr(${name}, ${sought}) > 0`;
  return position === 'whole'
    ? sql`${name} = ${sought}`
    : sql`substr(${name}, 1, length(${sought})) = ${sought}`;
}

function regularExpressionOf(text: string, position: Position): string {
  const pattern = Array.from(text, (letter) => {
    if (isAscii(letter)) return /[a-z0-9]/i.test(letter) ? letter.toLowerCase() : `\\${letter}`;
    const forms = formsOf(letter);
    return forms.length > 1 ? `[${forms.join('')}]` : letter;
  }).join('');
  const before = position === 'anywhere' ? '' : '^';
  const after = position === 'whole' ? '$' : '';
  return before + pattern + after;
}
