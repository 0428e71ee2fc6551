import { lockName } from '../../../database/advisory-locks.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { idList, toIdList } from '../../../database/recordset.ts';
import type { Learner } from '../lrs-scope.ts';

/** SQL for documents, one operation per function. */

/** A document's row. `content` is base64; `registration` is empty if the document belongs to none. */
export interface DocumentRow {
  document_key: string;
  collection_key: string;
  registration_id: string | null;
  registration: string;
  document_id: string;
  content_type: string;
  content: string;
  etag: string;
  updated_at: number;
  /** The learner to whom a profile written by a course belongs; null for all other documents. */
  learner_account_id: number | null;
  learner_id: string | null;
}

/** Whose a document is: of a registration, of a learner, or of neither if no course has stored it. */
export type DocumentOwner = Pick<DocumentRow, 'registration_id' | 'learner_account_id' | 'learner_id'>;

const COLUMNS =
  'document_key, collection_key, registration_id, registration, document_id, content_type, content, etag, updated_at, learner_account_id, learner_id';

const USAGE = 'count(*) as count, cast(coalesce(sum(octet_length(content)), 0) as bigint) as characters';

const DOCUMENT = `select ${COLUMNS} from lrs_documents where document_key = ?`;

export async function selectDocument(
  reader: Pick<Reader, 'all'>,
  key: string,
): Promise<DocumentRow | undefined> {
  const [row] = await reader.all<DocumentRow>(DOCUMENT, key);
  return row;
}

/** Reads a document and locks it, so that changes to it run one at a time. */
export async function selectLockedDocument(tx: Transaction, key: string): Promise<DocumentRow | undefined> {
  // A document that does not exist yet has no row to lock.
  await lockName(tx, key);
  // Deletions of several documents lock only the rows.
  const [row] = await tx.all<DocumentRow>(
    tx.dialect === 'postgres' ? `${DOCUMENT} for update` : DOCUMENT,
    key,
  );
  return row;
}

/** How many documents there are, and their size in bytes. */
export interface DocumentUsage {
  count: number;
  bytes: number;
}

/** The documents of a registration: the states of an attempt, or the activity profiles, which belong to no attempt. */
export async function selectUsageOfRegistration(
  tx: Transaction,
  registrationId: string,
  registration: string,
): Promise<DocumentUsage> {
  const [row] = await tx.all<UsageRow>(
    `select ${USAGE} from lrs_documents where registration_id = ? and registration = ?`,
    registrationId,
    registration,
  );
  return toUsage(row);
}

/** The profiles of a learner. It locks them, because several registrations of the learner may write at once. */
export async function selectLockedUsageOfLearner(
  tx: Transaction,
  { accountId, learnerId }: Learner,
): Promise<DocumentUsage> {
  await lockName(tx, `profiles ${accountId} ${learnerId}`);
  const [row] = await tx.all<UsageRow>(
    `select ${USAGE} from lrs_documents where learner_id = ? and learner_account_id = ?`,
    learnerId,
    accountId,
  );
  return toUsage(row);
}

interface UsageRow {
  count: number;
  characters: number;
}

/** Base64 has four characters for three bytes. */
function toUsage({ count, characters }: UsageRow = { count: 0, characters: 0 }): DocumentUsage {
  return { count: Number(count), bytes: Math.floor((Number(characters) * 3) / 4) };
}

/**
 * Stores a document. It belongs to the registration or learner for which a course stores it, even if an API client had
 * stored it before. A row of an API client has no owner, and does not change the owner.
 */
export async function upsertDocument(tx: Transaction, row: DocumentRow): Promise<void> {
  await tx.run(
    `insert into lrs_documents (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (document_key) do update set content_type = excluded.content_type, content = excluded.content,
       etag = excluded.etag, updated_at = excluded.updated_at,
       registration_id = coalesce(excluded.registration_id, lrs_documents.registration_id),
       learner_account_id = coalesce(excluded.learner_account_id, lrs_documents.learner_account_id),
       learner_id = coalesce(excluded.learner_id, lrs_documents.learner_id)`,
    row.document_key,
    row.collection_key,
    row.registration_id,
    row.registration,
    row.document_id,
    row.content_type,
    row.content,
    row.etag,
    row.updated_at,
    row.learner_account_id,
    row.learner_id,
  );
}

/**
 * Whether a learner in `documents` has no registration. The sign keeps SQLite, which has no statistics, from searching all
 * registrations of the account for each learner.
 */
const HAS_NO_REGISTRATION = `not exists (
  select 1 from registrations where learner_id = documents.learner_id and +account_id = documents.learner_account_id)`;

/** A range of learner ids: `after` is excluded, `to` included. */
export interface LearnerRange {
  after: string;
  to: string;
}

/** The last learner of the next `limit` profiles, null if there are no more. */
export async function readProfileRange(
  reader: Pick<Reader, 'all'>,
  after: string,
  limit: number,
): Promise<LearnerRange | null> {
  const [row] = await reader.all<{ last: string | null }>(
    `select max(learner_id) as last from (select learner_id from lrs_documents
       where learner_account_id is not null and learner_id > ? order by learner_id limit ?) documents`,
    after,
    limit,
  );
  return row?.last == null ? null : { after, to: row.last };
}

/** Whether a learner in the range has a profile but no registration. */
export async function hasStaleProfiles(
  reader: Pick<Reader, 'all'>,
  { after, to }: LearnerRange,
): Promise<boolean> {
  const rows = await reader.all(
    `select 1 from lrs_documents documents
     where learner_account_id is not null and learner_id > ? and learner_id <= ? and ${HAS_NO_REGISTRATION} limit 1`,
    after,
    to,
  );
  return rows.length > 0;
}

/** Profiles of learners without registrations in a range of ids, in any order. */
export async function selectStaleProfiles(
  tx: Transaction,
  { after, to }: LearnerRange,
  limit: number,
): Promise<{ key: string; size: number }[]> {
  return await tx.all(
    `select document_key as key, octet_length(content) as size from lrs_documents documents
     where learner_account_id is not null and learner_id > ? and learner_id <= ? and ${HAS_NO_REGISTRATION} limit ?`,
    after,
    to,
    limit,
  );
}

/** Deletes those of the profiles whose learners still have no registration. Returns the number deleted. */
export async function deleteStaleProfiles(tx: Transaction, keys: readonly string[]): Promise<number> {
  return await tx.run(
    `delete from lrs_documents as documents
     where document_key in ${idList(tx.dialect, 'text')} and ${HAS_NO_REGISTRATION}`,
    toIdList(keys),
  );
}

export async function deleteDocument(tx: Transaction, key: string): Promise<void> {
  await tx.run('delete from lrs_documents where document_key = ?', key);
}

/** The ids of a collection's documents. @param registration null: with any registration or without one */
export async function selectDocumentIds(
  reader: Pick<Reader, 'all'>,
  collection: string,
  { registration, since }: { registration: string | null; since: number | null },
): Promise<string[]> {
  const rows = await reader.all<{ document_id: string }>(
    `select distinct document_id from lrs_documents
     where collection_key = ? and (? = 0 or registration = ?) and updated_at > ? order by document_id`,
    collection,
    registration === null ? 0 : 1,
    registration ?? '',
    since ?? -1,
  );
  return rows.map(({ document_id }) => document_id);
}

/**
 * Deletes the documents of a collection, and returns whose they were.
 * @param registration null: with any registration or without one
 */
export async function deleteDocuments(
  tx: Transaction,
  collection: string,
  registration: string | null,
): Promise<DocumentOwner[]> {
  return await tx.all<DocumentOwner>(
    `delete from lrs_documents where collection_key = ? and (? = 0 or registration = ?)
     returning registration_id, learner_account_id, learner_id`,
    collection,
    registration === null ? 0 : 1,
    registration ?? '',
  );
}

/** The learner ids of registrations. */
export async function readLearnersOf(
  tx: Transaction,
  registrationIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.all<{ registration_id: string; learner_id: string }>(
    `select registration_id, learner_id from registrations where registration_id in ${idList(tx.dialect, 'text')}`,
    toIdList(registrationIds),
  );
  return new Map(rows.map(({ registration_id, learner_id }) => [registration_id, learner_id]));
}
