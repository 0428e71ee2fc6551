import { type Static, Type } from 'typebox';
import type { Page, PageRequest } from '../database/page.ts';
import { given } from './given.ts';
import { READ_AS } from './schemas.ts';

/** The number of items of a page, unless a request sets `limit`. */
export const DEFAULT_LIMIT = 50;
/** Maximum number of items of a page. */
export const MAX_LIMIT = 200;
/** Longer than any cursor that the service returns. */
export const MAX_CURSOR_LENGTH = 200;

/** What is wrong with a cursor that no list returned. */
export const INVALID_CURSOR = 'must be a next_cursor from this list';

/** The query members of every list. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `Maximum number of items. Defaults to ${DEFAULT_LIMIT}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      description: 'The `next_cursor` of the previous page.',
      [READ_AS]: 'cursor',
    }),
  ),
});

/** The page that a query asks for. */
export function pageRequest({ limit = DEFAULT_LIMIT, cursor }: Static<typeof PageQuery>): PageRequest {
  return { limit, after: given(parseCursor, cursor) };
}

/** The number of {@link toCursor}; null for any other text. */
export function parseCursor(cursor: string): number | null {
  const after = Number(Buffer.from(cursor, 'base64url').toString('latin1'));
  return Number.isSafeInteger(after) && after >= 0 && toCursor(after) === cursor ? after : null;
}

/** The response body of a list. */
export function pageResponse<T, R>(
  page: Page<T>,
  toRecord: (item: T) => R,
): { data: R[]; next_cursor: string | null } {
  return {
    data: page.items.map(toRecord),
    next_cursor: page.next === null ? null : toCursor(page.next),
  };
}

/** Two numbers to continue from, as an opaque text. */
export function pairCursor(first: number, second: number): string {
  return Buffer.from(`${first}.${second}`, 'latin1').toString('base64url');
}

/** The numbers of {@link pairCursor}; null for any other text. */
export function parsePairCursor(cursor: string): [number, number] | null {
  const [first, second] = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(Number);
  if (first === undefined || second === undefined) return null;
  const areIds = [first, second].every((each) => Number.isSafeInteger(each) && each >= 0);
  return areIds && pairCursor(first, second) === cursor ? [first, second] : null;
}

/** The event after which a replay continues, and its last one: null in a cursor of an earlier release. */
export function parseReplayCursor(cursor: string): [number, number | null] | null {
  const after = parseCursor(cursor);
  return after === null ? parsePairCursor(cursor) : [after, null];
}

/** A number to continue from, as an opaque text. */
export function toCursor(after: number): string {
  return Buffer.from(String(after), 'latin1').toString('base64url');
}
