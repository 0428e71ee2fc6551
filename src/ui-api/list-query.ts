import { type Static, type TProperties, Type } from 'typebox';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../http/paging.ts';
import { PLAIN_TEXT_PATTERN } from '../http/schemas.ts';
import { invalidInput } from '../problems/problem.ts';
import { MAX_COUNTED, MAX_SEARCH_LENGTH } from './list-limits.ts';

/** Maximum offset of a list, which limits the cost of its last page. */
export const MAX_OFFSET = 1_000_000;

/** The `search` member of a query: white space at its ends does not count. */
export const SearchText = Type.Optional(
  Type.String({ maxLength: MAX_SEARCH_LENGTH, pattern: PLAIN_TEXT_PATTERN }),
);

const MAX_TYPES_LENGTH = 100;

/** The `types` member of a query, such as `ACCOUNT,COURSE`. */
export const TypesText = Type.Optional(Type.String({ maxLength: MAX_TYPES_LENGTH }));

/** The types that a query names. Defaults to all. @throws {ProblemError} `invalid-request` */
export function typesOf<T extends string>(text: string | undefined, all: readonly T[]): T[] {
  if (text === undefined) return [...all];
  const named = new Set(text.split(','));
  const types = all.filter((type) => named.has(type));
  if (types.length < named.size) {
    const detail = `must contain only ${all.join(', ')}, separated by commas`;
    throw invalidInput([{ pointer: '/query/types', detail }]);
  }
  return types;
}

/** The requested part and order of a list. */
export interface ListPart<Sort extends string> {
  sort: Sort;
  direction: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** A part of a list, and the number of rows in the entire list. */
export interface Listed<T> {
  items: T[];
  total: number;
}

/** A part of a list whose rows are counted only up to {@link MAX_COUNTED}. */
export interface LongListed<T> extends Listed<T> {
  /** True: there are more than `total`. */
  totalIsLowerBound: boolean;
}

/** The query members for the part of a list. */
export function partMembers(maxOffset: number) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOffset })),
  };
}

/**
 * The query of a list that may be ordered by each of `sorts`, with filters of its own. Unknown members are rejected.
 */
export function ListQuery<const Sort extends string, Filters extends TProperties>(
  sorts: readonly Sort[],
  filters: Filters,
  maxOffset = MAX_OFFSET,
) {
  return Type.Object(
    {
      sort: Type.Optional(Type.Enum([...sorts])),
      direction: Type.Optional(Type.Enum(['asc', 'desc'])),
      ...partMembers(maxOffset),
      ...filters,
    },
    { additionalProperties: false },
  );
}

/** The body of a list's response: a page, and the number of rows in the whole list. */
export interface ListResponse<T> {
  data: T[];
  total: number;
  limit: number;
  offset: number;
  /** Only of lists that are counted up to {@link MAX_COUNTED}: there are more than `total`. */
  total_is_lower_bound?: boolean;
}

interface PartQuery<Sort extends string> {
  sort?: Sort;
  direction?: 'asc' | 'desc';
  limit?: number;
  offset?: number;
}

/** Sort keys that are ascending by default. */
const ASCENDING: ReadonlySet<string> = new Set(['name', 'email', 'failing']);

/** The part that a query requests. By default, names and addresses are ascending and other keys descending. */
export function listPart<Sort extends string>(query: PartQuery<Sort>, defaultSort: Sort): ListPart<Sort> {
  const sort = query.sort ?? defaultSort;
  return {
    sort,
    direction: query.direction ?? (ASCENDING.has(sort) ? 'asc' : 'desc'),
    limit: query.limit ?? DEFAULT_LIMIT,
    offset: query.offset ?? 0,
  };
}

/** The body of a list's response. */
export function listResponse<T, R>(
  { items, total, totalIsLowerBound }: Listed<T> & { totalIsLowerBound?: boolean },
  { limit, offset }: Pick<ListPart<string>, 'limit' | 'offset'>,
  toRecord: (item: T) => R,
): ListResponse<R> {
  const bound = totalIsLowerBound === undefined ? {} : { total_is_lower_bound: totalIsLowerBound };
  return { data: items.map(toRecord), total, limit, offset, ...bound };
}

/** The search text, or null. */
export function searchText(search: Static<typeof SearchText> | undefined): string | null {
  const text = search?.trim() ?? '';
  return text === '' ? null : text;
}
