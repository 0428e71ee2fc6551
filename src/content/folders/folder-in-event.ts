import type { Reader } from '../../database/database.ts';
import type { FolderResource } from '../../events/event.ts';
import { locationOf } from './folder-tree.ts';

/** A folder as events tell of it, but for what of its contents an event is about. */
export type FolderInEvent = Omit<FolderResource, 'contents'>;

/** Reads a folder for an event; undefined when there is none such. */
export async function readFolderInEvent(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<FolderInEvent | undefined> {
  return await reader.query
    .selectFrom('folders')
    .select(['folders.id', 'folders.name'])
    .select(locationOf('folders.id').as('location'))
    .where('folders.id', '=', id)
    .executeTakeFirst();
}
