import type { Reader, Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { AccountResource, ContentReference } from '../../events/event.ts';
import { type InputError, noSuch } from '../../problems/problem.ts';
import { readExistingAccounts } from '../accounts/account-service.ts';
import { readSharedAccount, type SharedAccount } from '../accounts/account-store.ts';
import { readExistingAssets } from '../assets/assets.ts';
import { givenId, givenMembers } from '../assets/given-members.ts';

/**
 * What registrations know about their account and course. The account is always locked before the course and
 * the registration, so that transactions never deadlock.
 */

/**
 * The account as messages show it, locked against changes and deletion until the transaction ends. Undefined if it does
 * not exist. On SQLite, every transaction locks it. On PostgreSQL, this locks the row, but not against changes of its
 * content. These may take long, and learners' saves must not wait for them.
 */
export async function lockExistingAccount(tx: Transaction, id: number): Promise<AccountResource | undefined> {
  return toResource(await readSharedAccount(tx, '?', id));
}

/** The account of a registration, like {@link lockExistingAccount}. */
export async function lockAccountOf(
  tx: Transaction,
  registrationId: string,
): Promise<AccountResource | undefined> {
  const ofRegistration = 'select account_id from registrations where registration_id = ?';
  return toResource(await readSharedAccount(tx, ofRegistration, registrationId));
}

function toResource(account: SharedAccount | undefined): AccountResource | undefined {
  return account && { id: account.id, name: account.name, enabled: account.enabled === 1 };
}

/**
 * The published version of a course, which is locked against deletion until the transaction ends; undefined if the
 * course does not exist.
 */
export async function lockPublishedVersion(tx: Transaction, courseId: number): Promise<number | undefined> {
  const row = await tx.query
    .selectFrom('courses')
    .select('courses.published_version_id')
    .where('courses.id', '=', courseId)
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst();
  return row?.published_version_id;
}

/** The error of an account, course or equivalent that does not exist. */
export function noSuchParty(what: 'account' | 'course' | 'equivalent', id: number): InputError {
  return noSuch(`/${what}_id`, what, id);
}

/** The errors of those members of a registration that are ids. */
export async function partyErrors(
  reader: Pick<Reader, 'all' | 'dialect'>,
  input: unknown,
): Promise<InputError[]> {
  const members = givenMembers(input);
  const accountId = givenId(members.account_id);
  const isUnknown = accountId !== null && (await readExistingAccounts(reader, [accountId])).length === 0;
  const subjects = (['course', 'equivalent'] as const).flatMap((what) => {
    const id = givenId(members[`${what}_id`]);
    return id === null ? [] : [{ what, type: TYPES[what], id }];
  });
  const existing = await readExistingAssets(reader, subjects);
  const unknown = subjects.filter((subject) => !existing.has(assetKey(subject)));
  return [
    ...(isUnknown ? [noSuchParty('account', accountId)] : []),
    ...unknown.map(({ what, id }) => noSuchParty(what, id)),
  ];
}

const TYPES = { course: 'COURSE', equivalent: 'EQUIVALENT' } as const satisfies Record<
  string,
  ContentReference['type']
>;
