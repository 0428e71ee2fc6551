import { keepNewest } from '../../keep-newest.ts';
import { assertBindable } from '../bindable.ts';
import type { SqlValue } from '../database.ts';

/** A statement for `pg`. With a name, it is prepared once per connection. */
export interface PostgresStatement {
  text: string;
  values: unknown[];
  name?: string;
}

/** Maximum number of cached texts, and of prepared ones. The service has about two hundred. */
const MAX_KEPT = 1_000;
/** A text is prepared from its second use. A text that is different each time is not worth preparing. */
const PREPARED_FROM_USE = 2;
/** Longer texts contain lists of values and are rarely repeated. */
const MAX_PREPARED_LENGTH = 8_000;
const NUL = /\0/g;
const REPLACEMENT = '\uFFFD';

/**
 * Translates statements with `?` for PostgreSQL, and names the ones that are repeated. Each placeholder is cast to
 * the type of its value, as on SQLite. Otherwise PostgreSQL infers the type from the context, and takes it for text
 * if there is none (`case when … then ? else null end`).
 */
export class PostgresStatements {
  readonly #kept = new Map<string, { text: string; name: string; uses: number }>();
  #made = 0;

  /** @throws {TypeError} for values that cannot be bound */
  prepare(sql: string, values: readonly unknown[]): PostgresStatement {
    assertBindable(values);
    return this.#statement(`${values.map(typeCode).join('')} ${sql}`, values, () => number(sql, values));
  }

  /** Takes a text that already has `$1` and so on. @throws {TypeError} for values that cannot be bound */
  prepareNumbered(sql: string, values: readonly unknown[]): PostgresStatement {
    assertBindable(values);
    return this.#statement(`$ ${sql}`, values, () => sql);
  }

  /** Makes every statement be prepared again, under a new name, when prepared ones no longer match the tables. */
  renew(): void {
    this.#kept.clear();
  }

  #statement(key: string, values: readonly SqlValue[], translate: () => string): PostgresStatement {
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = { text: translate(), name: `c${++this.#made}`, uses: 0 };
      this.#kept.set(key, kept);
      keepNewest(this.#kept, MAX_KEPT);
    }
    kept.uses += 1;
    const statement = { text: kept.text, values: values.map(storable) };
    const isPrepared = kept.uses >= PREPARED_FROM_USE && kept.text.length <= MAX_PREPARED_LENGTH;
    return isPrepared ? { ...statement, name: kept.name } : statement;
  }
}

/** PostgreSQL stores every character but NUL, which is replaced with U+FFFD. */
function storable<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replace(NUL, REPLACEMENT) : value;
}

/** Like {@link storable}, for text within JSON, in which PostgreSQL does not accept unpaired surrogates either. */
export function storableInJson<T>(value: T): T | string {
  if (typeof value !== 'string') return value;
  return storable(value.toWellFormed());
}

/** A quoted text, a quoted name, a comment, or a placeholder. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

function number(sql: string, values: readonly SqlValue[]): string {
  let place = 0;
  const text = sql.replace(TOKENS, (token) => {
    if (token !== '?') return token;
    const value = values[place];
    place += 1;
    return `$${place}${value === undefined ? '' : TYPES[typeCode(value)]}`;
  });
  if (place !== values.length)
    throw new TypeError(`the statement has ${place} placeholders and ${values.length} values`);
  return text;
}

type TypeCode = 'i' | 'f' | 's' | 'b' | 'n';

const TYPES: Readonly<Record<TypeCode, string>> = {
  i: '::bigint',
  f: '::double precision',
  s: '::text',
  b: '::bytea',
  n: '',
};

function typeCode(value: SqlValue | bigint): TypeCode {
  if (value === null) return 'n';
  if (typeof value === 'string') return 's';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'i' : 'f';
  return typeof value === 'bigint' ? 'i' : 'b';
}
