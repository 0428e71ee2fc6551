import type { Reader } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';

/** Where the contents of bundles and equivalents are stored. */
const CONTENTS = {
  bundles: { table: 'bundle_contents', owner: 'bundle_id' },
  equivalents: { table: 'equivalent_courses', owner: 'equivalent_id' },
} as const;

/** How many contents each bundle or equivalent of a page has, in the order of the page. */
export async function countContentsOfPage(
  reader: Pick<Reader, 'all'>,
  groups: keyof typeof CONTENTS,
  { after, limit }: PageRequest,
): Promise<number[]> {
  const { table, owner } = CONTENTS[groups];
  const rows = await reader.all<{ count: number }>(
    `select (select count(*) from ${table} as held where held.${owner} = ${groups}.id) as count
     from ${groups} where ${groups}.id > ? order by ${groups}.id limit ?`,
    after ?? 0,
    limit,
  );
  return rows.map(({ count }) => Number(count));
}
