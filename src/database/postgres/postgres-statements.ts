import { assertBindable } from '../bindable.ts';
import type { SqlValue } from '../database.ts';

/** A statement as `pg` takes it; with a name it is prepared once a connection. */
export interface PostgresStatement {
  text: string;
  values: unknown[];
  name?: string;
}

/** Texts that are kept translated, and of those as many prepared: the service has about two hundred. */
const MAX_KEPT = 1_000;
/** How often a text comes before it is prepared: one that is made again each time is not worth it. */
const PREPARED_FROM_USE = 2;
/** Longer texts list values and hardly come again. */
const MAX_PREPARED_LENGTH = 8_000;
const NUL = /\0/g;
const REPLACEMENT = '\uFFFD';

/**
 * Turns statements with `?` into those that PostgreSQL takes, and names the ones that come again. A placeholder is
 * given the type of its value, as SQLite takes it: PostgreSQL looks at where it stands, and where that does
 * not tell (`case when … then ? else null end`), takes it for text.
 */
export class PostgresStatements {
  readonly #kept = new Map<string, { text: string; name: string; uses: number }>();
  #made = 0;
  /** Raised when what is prepared on the server no longer fits the tables. */
  #generation = 0;

  /** @throws {TypeError} for values that cannot be bound. */
  prepare(sql: string, values: readonly unknown[]): PostgresStatement {
    assertBindable(values);
    return this.#statement(`${values.map(typeCode).join('')} ${sql}`, values, () => number(sql, values));
  }

  /** Takes a text that has `$1` and so on already. @throws {TypeError} for values that cannot be bound. */
  prepareNumbered(sql: string, values: readonly unknown[]): PostgresStatement {
    assertBindable(values);
    return this.#statement(`$ ${sql}`, values, () => sql);
  }

  /** Has every statement prepared again. */
  renew(): void {
    this.#generation += 1;
    this.#kept.clear();
  }

  #statement(key: string, values: readonly SqlValue[], translate: () => string): PostgresStatement {
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = { text: translate(), name: `c${this.#generation}_${++this.#made}`, uses: 0 };
      if (this.#kept.size >= MAX_KEPT) {
        const oldest = this.#kept.keys().next().value;
        if (oldest !== undefined) this.#kept.delete(oldest);
      }
      this.#kept.set(key, kept);
    }
    kept.uses += 1;
    const statement = { text: kept.text, values: values.map(storable) };
    const isPrepared = kept.uses >= PREPARED_FROM_USE && kept.text.length <= MAX_PREPARED_LENGTH;
    return isPrepared ? { ...statement, name: kept.name } : statement;
  }
}

/** PostgreSQL's text takes every character but NUL, in whose place stands the replacement character then. */
export function storable<T>(value: T): T | string {
  return typeof value === 'string' && value.includes('\0') ? value.replace(NUL, REPLACEMENT) : value;
}

/** The same for text that is written into JSON, whose parser takes no half of a surrogate pair either. */
export function storableInJson<T>(value: T): T | string {
  if (typeof value !== 'string') return value;
  return storable(value.isWellFormed() ? value : value.toWellFormed()) as string;
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
