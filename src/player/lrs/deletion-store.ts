import type { Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { keyed, type SizedRow } from '../../database/step-bytes.ts';

/** SQL for deleting records, one operation per function. */

/** Statements of registrations in any order, with the sizes of their attachments. */
export async function selectSizedStatements(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<number>[]> {
  return await tx.all<SizedRow<number>>(
    `select s.id as key, octet_length(s.statement) + cast((
       select coalesce(sum(a.byte_count), 0) from lrs_attachments a where a.statement = s.id) as bigint) as size
     from lrs_statements s where s.registration_id in ${idList(tx.dialect, 'text')} limit ?`,
    toIdList(registrationIds),
    limit,
  );
}

/** Whether statements have more index terms than `limit`. */
export async function hasMoreTerms(
  tx: Transaction,
  statements: readonly number[],
  count: number,
): Promise<boolean> {
  const rows = await tx.all(
    `select 1 as one from lrs_statement_index where statement in ${idList(tx.dialect)} limit 1 offset ?`,
    toIdList(statements),
    count,
  );
  return rows.length > 0;
}

/** Deletes some index terms of statements. */
export async function deleteTerms(
  tx: Transaction,
  statements: readonly number[],
  limit: number,
): Promise<void> {
  const some = (place: string) =>
    `select ${place} from lrs_statement_index where statement in ${idList(tx.dialect)} limit ?`;
  const condition =
    tx.dialect === 'postgres' ? `ctid = any (array(${some('ctid')}))` : `rowid in (${some('rowid')})`;
  await tx.run(`delete from lrs_statement_index where ${condition}`, toIdList(statements), limit);
}

/** Deletes statements with their index terms and attachments. */
export async function deleteStatements(tx: Transaction, statements: readonly number[]): Promise<void> {
  await tx.run(`delete from lrs_statements where id in ${idList(tx.dialect)}`, toIdList(statements));
}

/** The key of a document of a registration. */
export interface DocumentKey {
  registration_id: string;
  document_key: string;
}

/** Documents of registrations in any order. */
export async function selectSizedDocuments(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<DocumentKey>[]> {
  return keyed(
    await tx.all<DocumentKey & { size: number }>(
      `select registration_id, document_key, octet_length(content) as size
       from lrs_documents where registration_id in ${idList(tx.dialect, 'text')} limit ?`,
      toIdList(registrationIds),
      limit,
    ),
  );
}

export async function deleteDocuments(tx: Transaction, keys: readonly DocumentKey[]): Promise<void> {
  await tx.run(
    `delete from lrs_documents where document_key in ${idList(tx.dialect, 'text')}`,
    toIdList(keys.map((key) => key.document_key)),
  );
}

/** Definitions of activities of registrations in any order. */
export async function selectSizedActivities(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<string>[]> {
  return await tx.all<SizedRow<string>>(
    `select activity_key as key, octet_length(definition) as size
     from lrs_activities where registration_id in ${idList(tx.dialect, 'text')} limit ?`,
    toIdList(registrationIds),
    limit,
  );
}

export async function deleteActivities(tx: Transaction, keys: readonly string[]): Promise<void> {
  await tx.run(
    `delete from lrs_activities where activity_key in ${idList(tx.dialect, 'text')}`,
    toIdList(keys),
  );
}
