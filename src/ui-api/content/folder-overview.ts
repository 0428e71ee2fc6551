import type { Reader } from '../../database/database.ts';

/** Maximum number of folders in the tree. */
export const MAX_FOLDERS = 20_000;

/** A folder with the number of its contents, without subfolders. */
export interface FolderOverview {
  id: number;
  name: string;
  parent_id: number | null;
  course_count: number;
  equivalent_count: number;
  bundle_count: number;
}

/** All folders by id, up to one more than {@link MAX_FOLDERS}. */
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

/** Reads only the index of folder contents, not the rows. */
async function countByFolder(
  reader: Reader,
  table: 'courses' | 'equivalents' | 'bundles',
): Promise<Map<number, number>> {
  const rows = await reader.all<{ folder_id: number; count: number }>(
    `select folder_id, count(*) as count from ${table} group by folder_id`,
  );
  return new Map(rows.map((row) => [row.folder_id, Number(row.count)]));
}
