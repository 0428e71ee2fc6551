import assert from 'node:assert/strict';
import type { Choices } from './choices.ts';
import { type Account, type AssetReference, type ContentModel, keyOf } from './content-model.ts';
import { answered, type ContentOperation } from './operation.ts';

/** How an operation changes the content of many accounts. */
type Way = 'add' | 'remove';

const SUBTOPICS = { add: 'CONTENT_ADDED_TO_ACCOUNT', remove: 'CONTENT_REMOVED_FROM_ACCOUNT' } as const;
const MOST_ACCOUNTS = 4;
const MOST_ASSETS = 3;

/** Chooses operations on the content of many accounts at once. */
export class ManyAccountsOperations {
  readonly #model: ContentModel;
  readonly #choices: Choices;

  constructor(model: ContentModel, choices: Choices) {
    this.#model = model;
    this.#choices = choices;
  }

  /** Adds content to several accounts. */
  add(): ContentOperation | null {
    const assets = this.#choices.some(this.#model.assets(), MOST_ASSETS);
    return this.#change('add', assets);
  }

  /** Removes content, some of which one of the accounts has. */
  remove(): ContentOperation | null {
    const holding = [...this.#model.accounts.values()].filter(({ contents }) => contents.length > 0);
    const assets = this.#choices.some(this.#choices.one(holding)?.contents ?? [], MOST_ASSETS);
    return this.#change('remove', assets);
  }

  /** Names an account that does not exist: nothing is added to the others, either. */
  refused(): ContentOperation | null {
    const [account] = this.#choices.some(this.#model.accounts.values(), 1);
    const [asset] = this.#choices.some(this.#model.assets(), 1);
    if (account === undefined || asset === undefined) return null;
    return {
      what: `add ${keyOf(asset)} to account ${account.id} and an unknown one`,
      concerns: null,
      run: async (call) => {
        const body = { account_ids: [account.id, 987_654], contents: [asset] };
        answered(await call('POST', '/account-content/add', body), 400);
        return [];
      },
    };
  }

  #change(way: Way, assets: readonly AssetReference[]): ContentOperation | null {
    const accounts = this.#choices.some(this.#model.accounts.values(), MOST_ACCOUNTS);
    if (accounts.length === 0 || assets.length === 0) return null;
    const ids = accounts.map(({ id }) => id);
    return {
      what: `${way} ${assets.map(keyOf)}, accounts ${ids}`,
      // Folders contain much, and several accounts are changed: it runs alone.
      concerns: null,
      run: async (call, user) => {
        const body = { account_ids: ids, contents: assets };
        const answer = await call('POST', `/account-content/${way}`, body);
        const results = accounts.map((account) => ({ account, ...apply(way, account, assets) }));
        assert.deepEqual(
          answered(answer, 200).body.data.map(keysOfResult),
          results.map(({ account, changed, unchanged }) => [
            account.id,
            changed.map(keyOf),
            unchanged.map(keyOf),
          ]),
        );
        return results.flatMap(({ account, changed }) =>
          this.#model.contentEvents(SUBTOPICS[way], account, changed, user),
        );
      },
    };
  }
}

/** Changes the account, and returns which of the assets it gained or lost. */
function apply(
  way: Way,
  account: Account,
  assets: readonly AssetReference[],
): { changed: AssetReference[]; unchanged: AssetReference[] } {
  const had = new Set(account.contents.map(keyOf));
  const isChanged = (asset: AssetReference) => had.has(keyOf(asset)) === (way === 'remove');
  const changed = assets.filter(isChanged);
  const keys = new Set(changed.map(keyOf));
  account.contents =
    way === 'add'
      ? [...account.contents, ...changed]
      : account.contents.filter((each) => !keys.has(keyOf(each)));
  return { changed, unchanged: assets.filter((asset) => !isChanged(asset)) };
}

function keysOfResult(result: {
  account_id: number;
  changed: AssetReference[];
  unchanged: AssetReference[];
}): unknown[] {
  return [result.account_id, result.changed.map(keyOf), result.unchanged.map(keyOf)];
}
