import type { Reader } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { ContentReference } from '../../events/event.ts';

/** SQL for containment, across the tables of all content. Every step is an index lookup. */

type Reading = Pick<Reader, 'all' | 'dialect'>;
interface Row {
  type: ContentReference['type'];
  id: number;
}

const ASSET = { type: 'text', id: 'bigint' } as const;

/** The equivalents that have one of the courses. */
export async function readEquivalentsOf(reader: Reading, courseIds: readonly number[]): Promise<Row[]> {
  return await reader.all<Row>(
    `select distinct 'EQUIVALENT' as type, equivalent_courses.equivalent_id as id
     from ${recordset(reader.dialect, 'course', { id: 'bigint' })}
     cross join equivalent_courses where equivalent_courses.course_id = course.id`,
    JSON.stringify(courseIds.map((id) => ({ id }))),
  );
}

/** The bundles that directly contain one of the courses or equivalents. */
export async function readBundlesOf(reader: Reading, assets: readonly ContentReference[]): Promise<Row[]> {
  return await reader.all<Row>(
    `select distinct 'BUNDLE' as type, bundle_contents.bundle_id as id
     from ${recordset(reader.dialect, 'asset', ASSET)}
     cross join bundle_contents
     where bundle_contents.content_type = asset.type and bundle_contents.content_id = asset.id`,
    asParameter(assets),
  );
}

/** The folders of the assets, and their parents up to the root. */
export async function readFoldersOf(reader: Reading, assets: readonly ContentReference[]): Promise<Row[]> {
  const given = asParameter(assets);
  const asset = recordset(reader.dialect, 'asset', ASSET);
  return await reader.all<Row>(
    `with recursive above (id) as (
       select courses.folder_id from ${asset} cross join courses
         where asset.type = 'COURSE' and courses.id = asset.id
       union
       select equivalents.folder_id from ${asset} cross join equivalents
         where asset.type = 'EQUIVALENT' and equivalents.id = asset.id
       union
       select bundles.folder_id from ${asset} cross join bundles
         where asset.type = 'BUNDLE' and bundles.id = asset.id
       union
       select asset.id from ${asset} where asset.type = 'FOLDER'
     ), climbing (id) as (
       select above.id from above
       union
       select folders.parent_id from climbing cross join folders
       where folders.id = climbing.id and folders.parent_id is not null
     )
     select 'FOLDER' as type, climbing.id as id from climbing`,
    given,
    given,
    given,
    given,
  );
}

/** Whether one of the assets was added to the account. */
export async function accountWasGivenOneOf(
  reader: Reading,
  accountId: number,
  assets: readonly ContentReference[],
): Promise<boolean> {
  const rows = await reader.all(
    `select 1 from ${recordset(reader.dialect, 'asset', ASSET)}
     cross join account_contents where account_contents.account_id = ?
       and account_contents.content_type = asset.type and account_contents.content_id = asset.id
     limit 1`,
    asParameter(assets),
    accountId,
  );
  return rows.length > 0;
}

function asParameter(assets: readonly ContentReference[]): string {
  return JSON.stringify(assets.map(({ type, id }) => ({ type, id })));
}
