import type { Reader } from '../../database/database.ts';
import type { ContentReference } from '../../events/event.ts';
import { locationOf } from '../assets/folder-tree.ts';
import { type GroupRange, toGroups } from '../assets/group-store.ts';
import type { Bundle, BundledType } from './bundle.ts';

/** SQL for bundles, one operation per function. */

/** Bundles with their contents, in one statement, so that both are consistent with each other. */
export async function readBundles(
  reader: Pick<Reader, 'query'>,
  { after, upTo, limit }: GroupRange,
): Promise<Bundle[]> {
  const rows = await reader.query
    .selectFrom((eb) =>
      eb
        .selectFrom('bundles')
        .selectAll('bundles')
        .select(locationOf('bundles.folder_id').as('location'))
        .where('bundles.id', '>', after)
        .$if(upTo !== null, (query) => query.where('bundles.id', '<=', upTo))
        .orderBy('bundles.id')
        .limit(limit)
        .as('listed'),
    )
    .leftJoin('bundle_contents', 'bundle_contents.bundle_id', 'listed.id')
    .leftJoin('courses', (join) =>
      join
        .on('bundle_contents.content_type', '=', 'COURSE')
        .onRef('courses.id', '=', 'bundle_contents.content_id'),
    )
    .leftJoin('equivalents', (join) =>
      join
        .on('bundle_contents.content_type', '=', 'EQUIVALENT')
        .onRef('equivalents.id', '=', 'bundle_contents.content_id'),
    )
    .selectAll('listed')
    .select((eb) => [
      'bundle_contents.content_type',
      'bundle_contents.content_id',
      eb.fn.coalesce('courses.name', 'equivalents.name').as('content_name'),
    ])
    .orderBy('listed.id')
    .orderBy('bundle_contents.position')
    .execute();
  return toGroups(rows, ({ content_type, content_id, content_name }) =>
    content_type === null || content_id === null || content_name === null
      ? null
      : { type: content_type as BundledType, id: content_id, name: content_name },
  );
}

/** How many bundles directly contain a course or an equivalent. */
export async function countBundlesOf(
  reader: Pick<Reader, 'query'>,
  { type, id }: ContentReference,
): Promise<number> {
  const row = await reader.query
    .selectFrom('bundle_contents')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('bundle_contents.content_type', '=', type)
    .where('bundle_contents.content_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
