import { ASSET_TABLES } from '../../content/assets/asset-tables.ts';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import { type BoundedCount, bounded } from '../read-list.ts';

/** Maximum number of named users per kind. */
const MAX_NAMED_USERS = 50;

/** Some users of an asset, by id, and their number, counted up to {@link MAX_COUNTED}. */
export interface AssetUsers extends BoundedCount {
  items: { id: number; name: string }[];
}

/** Direct users of an asset. While there are any, it cannot be deleted. */
export interface ContentUsage {
  accounts: AssetUsers;
  /** The equivalents of a course. */
  equivalents: AssetUsers;
  /** The bundles with a course or an equivalent. */
  bundles: AssetUsers;
  /** The registrations for a course or an equivalent. */
  registrations: BoundedCount;
}

const NOBODY: AssetUsers = { items: [], total: 0, totalIsLowerBound: false };

/** Whether a text is a type of content. */
export function isContentType(text: string): text is ContentType {
  return (CONTENT_TYPES as readonly string[]).includes(text);
}

/** The users of an asset, or null if it does not exist. */
export async function readContentUsage(
  reader: Pick<Reader, 'all'>,
  type: ContentType,
  id: number,
): Promise<ContentUsage | null> {
  const found = await reader.all(`select 1 from ${ASSET_TABLES[type].table} where id = ?`, id);
  if (found.length === 0) return null;
  const isCourse = type === 'COURSE';
  return {
    accounts: await readUsers(
      reader,
      'accounts',
      `from account_contents where account_contents.content_type = '${type}' and account_contents.content_id = ?`,
      'account_contents.account_id',
      id,
    ),
    equivalents: isCourse
      ? await readUsers(
          reader,
          'equivalents',
          'from equivalent_courses where equivalent_courses.course_id = ?',
          'equivalent_courses.equivalent_id',
          id,
        )
      : NOBODY,
    bundles:
      isCourse || type === 'EQUIVALENT'
        ? await readUsers(
            reader,
            'bundles',
            `from bundle_contents where bundle_contents.content_type = '${type}' and bundle_contents.content_id = ?`,
            'bundle_contents.bundle_id',
            id,
          )
        : NOBODY,
    registrations: await countRegistrations(reader, type, id),
  };
}

async function countRegistrations(
  reader: Pick<Reader, 'all'>,
  type: ContentType,
  id: number,
): Promise<BoundedCount> {
  if (type !== 'COURSE' && type !== 'EQUIVALENT') return { total: 0, totalIsLowerBound: false };
  const column = type === 'COURSE' ? 'course_id' : 'equivalent_id';
  return await countUpToBound(reader, `from registrations where registrations.${column} = ?`, '1', id);
}

/** @param uses the clauses that find the rows of use; `userId` is their column with the id of the user */
async function readUsers(
  reader: Pick<Reader, 'all'>,
  table: 'accounts' | 'equivalents' | 'bundles',
  uses: string,
  userId: string,
  id: number,
): Promise<AssetUsers> {
  // An equivalent may have a course in several languages.
  const counted = await countUpToBound(reader, uses, `distinct ${userId}`, id);
  const items = await reader.all<{ id: number; name: string }>(
    `select ${table}.id, ${table}.name from ${table}
     where ${table}.id in (select ${userId} ${uses}) order by ${table}.id limit ?`,
    id,
    MAX_NAMED_USERS,
  );
  return { items, ...counted };
}

async function countUpToBound(
  reader: Pick<Reader, 'all'>,
  clauses: string,
  counted: string,
  id: number,
): Promise<BoundedCount> {
  const rows = await reader.all<{ total: number }>(
    `select count(*) as total from (select ${counted} ${clauses} limit ?) as bounded`,
    id,
    MAX_COUNTED + 1,
  );
  return bounded(Number(rows[0]?.total ?? 0));
}
