import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import type { ContentReference, EventPublisher } from '../../events/event.ts';
import { type InputError, invalidInput, ProblemError } from '../../problems/problem.ts';
import { type AccountService, lockAccountForContent } from '../accounts/account-service.ts';
import { lockExistingAssets } from '../assets/assets.ts';
import type { ChangeContext } from '../assets/change.ts';
import { givenMembers, givenReferences } from '../assets/given-members.ts';
import { countInWords, type Holder } from '../assets/holder.ts';
import { listedAssetErrors, lockListedAssets } from '../assets/listed-assets.ts';
import { type AccountContent, type Addition, LISTED_CONTENTS } from './account-content.ts';
import { countAccountsOf, readAccountContents, type StoredAccountContent } from './account-content-store.ts';
import { changeContent } from './change-content.ts';

/** Dependencies of {@link AccountContentService}. */
export interface AccountContentServiceDependencies {
  database: Database;
  accounts: AccountService;
  events: EventPublisher<Transaction>;
  /** Maximum number of courses, equivalents and bundles that one call can add, including those in folders. */
  maxAssetsAdded: number;
  now: () => number;
}

/** The content of accounts, and the events of topic ACCOUNT_CONTENT. */
export class AccountContentService {
  readonly #with: AccountContentServiceDependencies;

  constructor(dependencies: AccountContentServiceDependencies) {
    this.#with = dependencies;
  }

  /** The errors in what the body of an addition refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    const references = givenReferences(givenMembers(input).contents, LISTED_CONTENTS);
    return await listedAssetErrors(this.#with.database.reader, references);
  }

  /**
   * Publishes CONTENT_ADDED_TO_ACCOUNT for what the account does not have yet.
   * @throws {ProblemError} `not-found` if the account does not exist, `invalid-request` for assets that repeat
   *   or do not exist, `limit-reached`
   */
  async add(
    accountId: number,
    contents: readonly ContentReference[],
    { user, by, tx: open }: ChangeContext,
  ): Promise<Addition> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const account = await lockAccountForContent(tx, accountId);
      const { assets, errors } = await lockListedAssets(tx, contents);
      if (errors.length > 0) throw invalidInput(errors);
      const addition = {
        subtopic: 'CONTENT_ADDED_TO_ACCOUNT',
        accounts: [account],
        assets,
        user,
        by,
      } as const;
      const [change] = await changeContent(tx, this.#with, addition);
      return { added: change!.changed, unchanged: change!.unchanged };
    });
  }

  /** By type and id. @throws {ProblemError} `not-found` if the account does not exist */
  async list(accountId: number, { limit, after }: PageRequest): Promise<Page<AccountContent>> {
    await this.#with.accounts.get(accountId);
    const last = after === null ? null : fromPosition(after);
    const rows = await readAccountContents(this.#with.database.reader, accountId, last, limit + 1);
    const items = rows.slice(0, limit).map(toAccountContent);
    const end = items.at(-1);
    return { items, next: rows.length > limit && end !== undefined ? toPosition(end) : null };
  }

  /**
   * Publishes CONTENT_REMOVED_FROM_ACCOUNT for what the account no longer has.
   * @throws {ProblemError} `not-found` if the account does not exist, or if the asset was not added to it directly
   */
  async remove(
    accountId: number,
    reference: ContentReference,
    { user, by }: Omit<ChangeContext, 'tx'>,
  ): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const account = await lockAccountForContent(tx, accountId);
      const held = await lockExistingAssets(tx, [reference]);
      const removal = {
        subtopic: 'CONTENT_REMOVED_FROM_ACCOUNT',
        accounts: [account],
        assets: [...held.values()],
        user,
        by,
      } as const;
      const [change] = await changeContent(tx, this.#with, removal);
      if (change!.changed.length > 0) return;
      const asset = `${reference.type.toLowerCase()} ${reference.id}`;
      throw new ProblemError('not-found', `The ${asset} was not added to the account ${accountId}`);
    });
  }
}

/** How many accounts have an asset directly, checked before it is deleted. */
export function accountsHolding(type: ContentType): Holder {
  return async (tx, id) => countInWords(await countAccountsOf(tx, { type, id }), 'account');
}

/**
 * A position in the list is one number, for paging: the rank of the type, then the id. Ids stay below the bound
 * because the database counts them up from 1.
 */
const IDS_PER_TYPE = 2 ** 51;
/** Types in alphabetical order, as the database sorts them. */
const TYPES_BY_RANK = CONTENT_TYPES.toSorted();

function toPosition({ type, id }: ContentReference): number {
  return TYPES_BY_RANK.indexOf(type) * IDS_PER_TYPE + id;
}

function fromPosition(position: number): ContentReference {
  const rank = Math.floor(position / IDS_PER_TYPE);
  return { type: TYPES_BY_RANK[rank] ?? 'FOLDER', id: position % IDS_PER_TYPE };
}

function toAccountContent(row: StoredAccountContent): AccountContent {
  return {
    type: row.content_type,
    id: row.content_id,
    name: row.name,
    location: row.location,
    addedAt: row.added_at,
  };
}
