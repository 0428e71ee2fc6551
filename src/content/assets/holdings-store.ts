import type { Reader } from '../../database/database.ts';
import { recordset, toIdList } from '../../database/recordset.ts';
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
    toIdList(courseIds),
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

/** Names and places of assets. `folder_id` is the folder that contains it, or the parent of a folder; null for Home. */
export async function readPlaces(
  reader: Reading,
  assets: readonly ContentReference[],
): Promise<(Row & { name: string; folder_id: number | null })[]> {
  const given = asParameter(assets);
  const asset = recordset(reader.dialect, 'asset', ASSET);
  return await reader.all(
    `select 'COURSE' as type, courses.id as id, courses.name as name, courses.folder_id as folder_id
       from ${asset} cross join courses where asset.type = 'COURSE' and courses.id = asset.id
     union all
     select 'EQUIVALENT', equivalents.id, equivalents.name, equivalents.folder_id
       from ${asset} cross join equivalents where asset.type = 'EQUIVALENT' and equivalents.id = asset.id
     union all
     select 'BUNDLE', bundles.id, bundles.name, bundles.folder_id
       from ${asset} cross join bundles where asset.type = 'BUNDLE' and bundles.id = asset.id
     union all
     select 'FOLDER', folders.id, folders.name, folders.parent_id
       from ${asset} cross join folders where asset.type = 'FOLDER' and folders.id = asset.id`,
    given,
    given,
    given,
    given,
  );
}

/** Which of the courses and equivalents are directly in which of the bundles, ordered by bundle, type and id. */
export async function readBundleMembership(
  reader: Reading,
  bundleIds: readonly number[],
  assets: readonly ContentReference[],
): Promise<(Row & { bundle_id: number })[]> {
  return await reader.all(
    `select bundle_contents.bundle_id, bundle_contents.content_type as type, bundle_contents.content_id as id
     from ${recordset(reader.dialect, 'bundle', { id: 'bigint' })}
     cross join ${recordset(reader.dialect, 'asset', ASSET)}
     cross join bundle_contents
     where bundle_contents.bundle_id = bundle.id
       and bundle_contents.content_type = asset.type and bundle_contents.content_id = asset.id
     order by bundle_contents.bundle_id, bundle_contents.content_type, bundle_contents.content_id`,
    toIdList(bundleIds),
    asParameter(assets),
  );
}

/** Whether at least one of the assets was added to the account itself. */
export async function accountDirectlyHasOneOf(
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
