import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '../database/database.ts';
import { indexPartOrder, inIndexPart } from '../database/index-part.ts';
import type { AuditEntryRow } from '../database/schema.ts';

/** SQL for the audit log, one operation per function. Times are in epoch milliseconds. */

/** An entry as stored. */
export type StoredAuditEntry = Selectable<AuditEntryRow>;

/** Filters of the entries, all of which must match. Null members are ignored. */
export interface AuditFilter {
  user: string | null;
  actorType: string | null;
  actions: readonly string[] | null;
  objectType: string | null;
  objectId: string | null;
  /** From one moment on, and before another. */
  from: number | null;
  to: number | null;
}

const COLUMNS = [
  'occurred_at',
  'actor_type',
  'actor_id',
  'actor_user',
  'actor_name',
  'address',
  'action',
  'object_type',
  'object_id',
  'object_name',
  'changes',
  'details',
] as const satisfies (keyof AuditEntryRow)[];

/** Adds an entry. Sends its statement when it is called. */
export async function insertAuditEntry(tx: Transaction, row: Omit<AuditEntryRow, 'id'>): Promise<void> {
  await tx.insertMany('audit_entries', COLUMNS, [COLUMNS.map((column) => row[column])]);
}

/**
 * The matching entries before an id, newest first. Reads at most `examined` of those that an index finds.
 * @returns the entries, and the id of the last examined entry; null if all were examined
 */
export async function readAuditEntries(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  filter: AuditFilter,
  { before, limit, examined }: { before: number; limit: number; examined: number },
): Promise<{ rows: StoredAuditEntry[]; last: number | null }> {
  const { objectType, objectId, user } = filter;
  const isOfObject = objectType !== null && objectId !== null;
  const ofObject = { 'audit_entries.object_type': objectType, 'audit_entries.object_id': objectId };
  const ofUser = user === null ? {} : { 'audit_entries.actor_user': user };
  const part = { equal: isOfObject ? ofObject : ofUser, by: ['audit_entries.id'] };
  const inOrder = indexPartOrder(dialect, part, 'desc');
  const end = await query
    .selectFrom('audit_entries')
    .select('audit_entries.id')
    .where(inIndexPart(dialect, { ...part, bounds: [['<', before]] }))
    .orderBy(inOrder)
    .offset(examined - 1)
    .limit(1)
    .executeTakeFirst();
  let matching = query
    .selectFrom('audit_entries')
    .selectAll('audit_entries')
    .where(
      inIndexPart(dialect, {
        ...part,
        bounds: [
          ['<', before],
          ['>=', end?.id ?? 0],
        ],
      }),
    );
  if (isOfObject && user !== null) matching = matching.where('audit_entries.actor_user', '=', user);
  if (!isOfObject && objectType !== null)
    matching = matching.where('audit_entries.object_type', '=', objectType);
  if (!isOfObject && objectId !== null) matching = matching.where('audit_entries.object_id', '=', objectId);
  if (filter.actorType !== null) matching = matching.where('audit_entries.actor_type', '=', filter.actorType);
  if (filter.actions !== null) matching = matching.where('audit_entries.action', 'in', filter.actions);
  if (filter.from !== null) matching = matching.where('audit_entries.occurred_at', '>=', filter.from);
  if (filter.to !== null) matching = matching.where('audit_entries.occurred_at', '<', filter.to);
  const rows = await matching.orderBy(inOrder).limit(limit).execute();
  return { rows, last: end?.id ?? null };
}

/** The id of the last entry before a moment; undefined if there is none. */
export async function readLastIdBefore(
  reader: Pick<Reader, 'query'>,
  moment: number,
): Promise<number | undefined> {
  const row = await reader.query
    .selectFrom('audit_entries')
    .select('audit_entries.id')
    .where('audit_entries.occurred_at', '<', moment)
    .orderBy('audit_entries.occurred_at', 'desc')
    .orderBy('audit_entries.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** An entry by id. */
export async function readAuditEntry(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredAuditEntry | undefined> {
  return await reader.query
    .selectFrom('audit_entries')
    .selectAll('audit_entries')
    .where('audit_entries.id', '=', id)
    .executeTakeFirst();
}

/** Removes at most `limit` entries from before a moment, and returns how many it removed. */
export async function deleteAuditEntriesBefore(
  tx: Transaction,
  moment: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await tx.query
    .deleteFrom('audit_entries')
    .where('audit_entries.id', 'in', (query) =>
      query
        .selectFrom('audit_entries as expired')
        .select('expired.id')
        .where('expired.occurred_at', '<', moment)
        .orderBy(sql`expired.occurred_at`)
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
