import { type Static, type TSchema, Type } from 'typebox';
import { MAX_NAME_LENGTH } from '../text-lengths.ts';

/** Schemas that several slices share. In the API description, a schema with a `title` is a component of that name. */

/** Patterns must not backtrack. Otherwise, a hostile text takes quadratic time. */
export const NAME_PATTERN = '^(?=\\s*\\S)[^\\u0000-\\u001f\\u007f]*$';
/**
 * Text without control characters, which header fields (RFC 9110 section 5.5) and some databases do not accept. It
 * means the same in ECMAScript and in RE2, which does not support `\u`.
 */
export const PLAIN_TEXT_PATTERN = '^[^\\x00-\\x1f\\x7f]*$';

/** Hours and minutes of a day. */
export const CLOCK_TIME_PATTERN = '^([01][0-9]|2[0-3]):[0-5][0-9]$';

/** What these patterns require, as details of problems. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [NAME_PATTERN, 'must contain more than white space, and no control characters'],
  [PLAIN_TEXT_PATTERN, 'must not contain control characters'],
  [CLOCK_TIME_PATTERN, 'must be hours and minutes, such as 22:00'],
]);

/** The key under which a schema has the form that the API description shows instead. */
export const DESCRIBED_AS = 'x-described-as';

/**
 * A schema that the API description shows in another form. The service validates and serializes with the first one,
 * because it is deliberately more lenient there or checks the rest in code. The description of the first one is kept.
 */
export function describedAs<T extends TSchema>(schema: T, described: object) {
  return Type.Unsafe<Static<T>>({ ...schema, [DESCRIBED_AS]: described });
}

/** The key under which a text says what it must be read as, so that the schema finds it together with other errors. */
export const READ_AS = 'x-read-as';

/** The meaning of a text with this key. */
export type ReadAs = 'time' | 'cursor' | 'pair-cursor' | 'replay-cursor';

/** The mark of a record whose responses carry an ETag, for the API description. */
export const ETAG_MARK = 'x-etag';
/** The options of the schema of a record whose responses carry an ETag. */
export const HAS_ETAG = { [ETAG_MARK]: true } as const;

/** A schema whose value may be null. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type } = schema as unknown as { type: string };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] });
}

/** Enough for a date and time with nanoseconds and a zone. */
const MAX_DATE_TIME_LENGTH = 40;

/** A time: ISO 8601 UTC with milliseconds. */
export function DateTime(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-01-31T09:30:00.000Z'] });
}

/** A time like {@link DateTime}, or null. */
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
    maxLength: MAX_NAME_LENGTH,
    pattern: NAME_PATTERN,
    ...described(description),
  });
}

function described(description: string | undefined) {
  return description === undefined ? {} : { description };
}

/** An id in a path. It is text, because an id of another form is not found rather than invalid. */
export function PathId(description: string) {
  return describedAs(Type.String({ description }), Id());
}

/** A time in a request. The service reads every form of ISO 8601 with a time zone. */
export function DateTimeInput(description: string) {
  const text = Type.String({ maxLength: MAX_DATE_TIME_LENGTH, description, [READ_AS]: 'time' });
  return describedAs(Nullable(text), { type: ['string', 'null'], format: 'date-time' });
}

/** A time in a query or filter, which is required: ISO 8601 with a time zone. */
export function RequiredTimeQuery(description: string) {
  const text = Type.String({ maxLength: MAX_DATE_TIME_LENGTH, description, [READ_AS]: 'time' });
  return describedAs(text, { type: 'string', format: 'date-time' });
}

/** A time in a query or filter, which is optional: ISO 8601 with a time zone. */
export function TimeQuery(description: string) {
  return Type.Optional(RequiredTimeQuery(description));
}

/**
 * A read-only member that is ignored on write, so that a record can be sent back as it was read.
 * @param member the member of the record
 */
export function Ignored(member: TSchema) {
  const { description: _, ...type } = member as { description?: string };
  return Type.Optional(
    describedAs(Type.Unknown({ description: 'Read-only; ignored on write.' }), { ...type, readOnly: true }),
  );
}

/** A page of a list. Its name in the API description is that of its items with `List`. */
export function PageOf<T extends TSchema>(item: T, description: string) {
  const { title } = item as { title?: string };
  return Type.Object(
    {
      data: Type.Array(item),
      next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
    },
    { ...(title === undefined ? {} : { title: `${title}List` }), description },
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
        Type.Object(
          {
            pointer: Type.String({ description: 'JSON Pointer to the invalid member (RFC 6901).' }),
            detail: Type.String({ description: 'What is wrong with it, in plain words.' }),
          },
          { title: 'InvalidMember', description: 'An invalid member of a request.' },
        ),
      ),
    ),
  },
  { description: 'A problem (RFC 9457).' },
);

/** Room for the longest learner id, and for the longest e-mail address. */
const MAX_SEARCHED_TEXT = 320;

/** A member of a query that is compared with a text. */
export function SearchedText(description: string) {
  return Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_SEARCHED_TEXT, pattern: PLAIN_TEXT_PATTERN, description }),
  );
}
