import type { Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { AccountResource } from '../../events/event.ts';
import { ProblemError } from '../../problems/problem.ts';
import { readAssetNames } from '../assets/assets.ts';
import { accountHolds } from '../assets/holdings.ts';

/** What a registration is for. */
export interface Subject {
  type: 'COURSE' | 'EQUIVALENT';
  id: number;
}

/**
 * Whether an error may name accounts and content. A caller with only the scope for registrations may know ids, but no
 * names.
 */
export interface Naming {
  mayName?: boolean;
}

/**
 * Requires that an account is enabled and has a course or an equivalent.
 * @throws {ProblemError} `conflict`
 */
export async function assertEntitled(
  tx: Transaction,
  account: AccountResource,
  subject: Subject,
  { mayName }: Required<Naming>,
): Promise<void> {
  const named = (name: string, id: number) => (mayName ? `“${name}” (${id})` : String(id));
  const which = `The account ${named(account.name, account.id)}`;
  if (!account.enabled) throw new ProblemError('conflict', `${which} is disabled`);
  if (await accountHolds(tx, account.id, subject)) return;
  const names = await readAssetNames(tx, [subject]);
  const what = named(names.get(assetKey(subject)) ?? '', subject.id);
  throw new ProblemError(
    'conflict',
    subject.type === 'COURSE'
      ? `${which} does not have the course ${what}, neither directly nor through an equivalent, a bundle or a folder`
      : `${which} does not have the equivalent ${what}, neither directly nor through a bundle or a folder`,
  );
}
