import type { Reader } from '../../database/database.ts';
import type { FolderResource } from '../../events/event.ts';
import { locationOf } from '../assets/folder-tree.ts';

/** A folder in an event, without the contents that the event is about. */
export type FolderInEvent = Omit<FolderResource, 'contents'>;

/** A folder in an event, and the path of its contents. */
export interface FolderAndPath {
  folder: FolderInEvent;
  /** Folder names from the root down to this one. */
  pathWithin: string;
}

/**
 * Reads a folder for an event; undefined if it does not exist. Like for other content, its `location` is the
 * path of its parent folder. It is empty for the root.
 */
export async function readFolderInEvent(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<FolderAndPath | undefined> {
  const row = await reader.query
    .selectFrom('folders')
    .select(['folders.id', 'folders.name', 'folders.parent_id'])
    .select(locationOf('folders.id').as('path'))
    .where('folders.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { name, path } = row;
  // The path ends with the name of the folder, which may contain the separator.
  const location = row.parent_id === null ? '' : path.slice(0, -` > ${name}`.length);
  return { folder: { id: row.id, name, location }, pathWithin: path };
}
