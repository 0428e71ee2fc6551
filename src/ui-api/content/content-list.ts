import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Tables } from '../../database/schema.ts';
import type { Listed, ListPart } from '../list-query.ts';
import { nameKey, nameOrIdIs } from '../name-search.ts';
import { countByOwner, readList, readListOfIds } from '../read-list.ts';
import type { ContentSort } from './content-list-choices.ts';
import { isInFolder, readLocations } from './locations.ts';

/** Lists of courses, equivalents and bundles, with the same search. */

/** Filters of a list of content, all of which must match. Null members are ignored. */
export interface ContentFilter {
  search: string | null;
  folderId: number | null;
  /** Whether subfolders are included. */
  recursive: boolean;
}

interface ListedContent {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  created_at: number;
  updated_at: number;
}

export interface ListedCourse extends ListedContent {
  latest_version_id: number;
  published_version_id: number;
  learning_standard: string | null;
  /** JSON: an array of texts. */
  warnings: string | null;
}

export interface ListedEquivalent extends ListedContent {
  languages: string[];
}

export interface ListedBundle extends ListedContent {
  content_count: number;
}

type ContentTable = 'courses' | 'equivalents' | 'bundles';

/** A page of the matching courses. */
export async function listCourses(
  reader: Reader,
  filter: ContentFilter & { learningStandard: string | null },
  part: ListPart<ContentSort>,
): Promise<Listed<ListedCourse>> {
  let filtered = reader.query.selectFrom('courses').where((eb) => fits(reader, eb, 'courses', filter));
  if (filter.learningStandard !== null) filtered = filtered.where(hasLatestOf(filter.learningStandard));
  const order = orderOf(reader, 'courses', part.sort);
  const { items, total } = await readListOfIds(
    (ids) => readCourses(reader, ids),
    filtered,
    filtered,
    order,
    part,
  );
  return { items: await withLocations(reader, items), total };
}

async function readCourses(reader: Reader, ids: number[]): Promise<Omit<ListedCourse, 'location'>[]> {
  return await reader.query
    .selectFrom('courses')
    .leftJoin('course_versions', (join) =>
      join
        .onRef('course_versions.course_id', '=', 'courses.id')
        .onRef('course_versions.version_id', '=', 'courses.latest_version_id'),
    )
    .select([
      'courses.id',
      'courses.name',
      'courses.folder_id',
      'courses.latest_version_id',
      'courses.published_version_id',
      'courses.created_at',
      'courses.updated_at',
      'course_versions.learning_standard',
      'course_versions.warnings',
    ])
    .where('courses.id', 'in', ids)
    .execute();
}

/** A page of the matching equivalents. */
export async function listEquivalents(
  reader: Reader,
  filter: ContentFilter,
  part: ListPart<ContentSort>,
): Promise<Listed<ListedEquivalent>> {
  const rows = reader.query
    .selectFrom('equivalents')
    .select([
      'equivalents.id',
      'equivalents.name',
      'equivalents.folder_id',
      'equivalents.created_at',
      'equivalents.updated_at',
    ])
    .where((eb) => fits(reader, eb, 'equivalents', filter));
  const { items, total } = await readList(rows, rows, orderOf(reader, 'equivalents', part.sort), part);
  const languages = await readLanguages(reader, items);
  const located = await withLocations(reader, items);
  return { items: located.map((item) => ({ ...item, languages: languages.get(item.id) ?? [] })), total };
}

/** A page of the matching bundles. */
export async function listBundles(
  reader: Reader,
  filter: ContentFilter,
  part: ListPart<ContentSort>,
): Promise<Listed<ListedBundle>> {
  const rows = reader.query
    .selectFrom('bundles')
    .select(['bundles.id', 'bundles.name', 'bundles.folder_id', 'bundles.created_at', 'bundles.updated_at'])
    .where((eb) => fits(reader, eb, 'bundles', filter));
  const { items, total } = await readList(rows, rows, orderOf(reader, 'bundles', part.sort), part);
  const ids = items.map(({ id }) => id);
  const counts = await countByOwner(reader, 'bundle_contents.bundle_id', ids);
  const located = await withLocations(reader, items);
  return { items: located.map((item) => ({ ...item, content_count: counts.get(item.id) ?? 0 })), total };
}

/** Whether a course's latest version has this learning standard. */
function hasLatestOf(learningStandard: string): RawBuilder<SqlBool> {
  return sql`exists (select 1 from course_versions where course_versions.course_id = courses.id
    and course_versions.version_id = courses.latest_version_id
    and course_versions.learning_standard = ${learningStandard})`;
}

function fits<Table extends ContentTable>(
  reader: Reader,
  eb: Pick<ExpressionBuilder<Tables, Table>, 'and'>,
  table: Table,
  { search, folderId, recursive }: ContentFilter,
) {
  const conditions = [];
  if (search !== null) conditions.push(nameOrIdIs(reader.dialect, table, search));
  if (folderId !== null) conditions.push(isInFolder(`${table}.folder_id`, folderId, recursive));
  return eb.and(conditions);
}

function orderOf(reader: Reader, table: ContentTable, sort: ContentSort) {
  const id = sql<number>`${sql.ref(`${table}.id`)}`;
  switch (sort) {
    case 'name':
      return { by: nameKey(reader.dialect, `${table}.name`), id };
    case 'updated':
      return { by: sql`${sql.ref(`${table}.updated_at`)}`, id };
    case 'created':
      // Ids follow the order of creation.
      return { by: id, id };
  }
}

async function withLocations<T extends { folder_id: number }>(
  reader: Reader,
  items: readonly T[],
): Promise<(T & { location: string })[]> {
  const locations = await readLocations(
    reader,
    items.map((item) => item.folder_id),
  );
  return items.map((item) => ({ ...item, location: locations.get(item.folder_id) ?? '' }));
}

async function readLanguages(
  reader: Reader,
  items: readonly { id: number }[],
): Promise<Map<number, string[]>> {
  const languages = new Map<number, string[]>();
  if (items.length === 0) return languages;
  const rows = await reader.query
    .selectFrom('equivalent_courses')
    .select(['equivalent_courses.equivalent_id', 'equivalent_courses.language'])
    .where(
      'equivalent_courses.equivalent_id',
      'in',
      items.map(({ id }) => id),
    )
    .orderBy('equivalent_courses.equivalent_id')
    .orderBy('equivalent_courses.position')
    .execute();
  for (const row of rows)
    languages.set(row.equivalent_id, [...(languages.get(row.equivalent_id) ?? []), row.language]);
  return languages;
}
