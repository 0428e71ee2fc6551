import type { Reader } from '../../database/database.ts';

/** Folders that the tree tells at most. */
export const MAX_FOLDERS = 20_000;

/** A folder with how much stands in it, not counting folders below. */
export interface FolderOverview {
  id: number;
  name: string;
  parent_id: number | null;
  course_count: number;
  equivalent_count: number;
  bundle_count: number;
}

/** All folders by id; one more than {@link MAX_FOLDERS} when there are more. */
export async function readFolderTree(reader: Reader): Promise<FolderOverview[]> {
  const folders = await reader.all<{ id: number; name: string; parent_id: number | null }>(
    'select folders.id, folders.name, folders.parent_id from folders order by folders.id limit ?',
    MAX_FOLDERS + 1,
  );
  const [courses, equivalents, bundles] = [
    await countByFolder(reader, 'courses'),
    await countByFolder(reader, 'equivalents'),
    await countByFolder(reader, 'bundles'),
  ];
  return folders.map((folder) => ({
    ...folder,
    course_count: courses.get(folder.id) ?? 0,
    equivalent_count: equivalents.get(folder.id) ?? 0,
    bundle_count: bundles.get(folder.id) ?? 0,
  }));
}

/** Walks the index of what stands in each folder, not the rows. */
async function countByFolder(
  reader: Reader,
  table: 'courses' | 'equivalents' | 'bundles',
): Promise<Map<number, number>> {
  const rows = await reader.all<{ folder_id: number; count: number }>(
    `select folder_id, count(*) as count from ${table} group by folder_id`,
  );
  return new Map(rows.map((row) => [row.folder_id, Number(row.count)]));
}
