import { type Static, type TSchema, Type } from 'typebox';

/** Schemas that several slices share. */

/** Patterns must not backtrack. Otherwise, a hostile text takes quadratic time. */
const NAME_PATTERN = '^(?=\\s*\\S)[^\\u0000-\\u001f\\u007f]*$';
/** Text without control characters, which header fields (RFC 9110 section 5.5) and some databases do not accept. */
export const PLAIN_TEXT_PATTERN = '^[^\\u0000-\\u001f\\u007f]*$';

/** What these patterns require, as details of problems. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [NAME_PATTERN, 'must contain more than white space, and no control characters'],
  [PLAIN_TEXT_PATTERN, 'must not contain control characters'],
]);

/** A schema whose value may be null. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type } = schema as unknown as { type: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] });
}

/** A time: ISO 8601 UTC with milliseconds. */
export function DateTime(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-01-31T09:30:00.000Z'] });
}

/** The same, or null. */
export function OptionalDateTime(description: string) {
  return Nullable(DateTime(description));
}

/** An id. Larger numbers cannot be distinguished in JSON (RFC 8259 section 6). */
export function Id(description?: string) {
  return Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...described(description) });
}

/** A name: 1 to 200 characters without control characters. */
export function Name(description?: string) {
  return Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: NAME_PATTERN,
    ...described(description),
  });
}

function described(description: string | undefined) {
  return description === undefined ? {} : { description };
}

/** A read-only member that is ignored on write, so that a record can be sent back as it was read. */
export function Ignored() {
  return Type.Optional(Type.Unknown({ readOnly: true, description: 'Read-only; ignored on write.' }));
}

/** A page of a list. */
export function PageOf<T extends TSchema>(item: T, description: string) {
  return Type.Object(
    {
      data: Type.Array(item),
      next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
    },
    { description },
  );
}

/** RFC 9457. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Identifies the type of problem. Stable, for use by programs.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What went wrong in this case, in plain words.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({ description: 'JSON Pointer to the invalid member (RFC 6901).' }),
          detail: Type.String(),
        }),
      ),
    ),
  },
  { description: 'A problem (RFC 9457).' },
);
