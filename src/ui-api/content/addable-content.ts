import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentType } from '../../events/catalogue.ts';
import type { LongListed } from '../list-query.ts';
import { type FoundAsset, searchAssets } from './asset-search.ts';

/** Content that can be added to an account, an equivalent or a bundle. */
export interface AddableContent {
  type: ContentType;
  id: number;
  name: string;
  location: string;
  /** Whether the account already has it directly; false if there is no account. */
  held: boolean;
}

/** A page of the content that {@link searchAssets} finds. */
export async function listAddableContent(
  reader: Reader,
  {
    accountId,
    search,
    types,
  }: { accountId: number | null; search: string | null; types: readonly ContentType[] },
  part: { limit: number; offset: number },
): Promise<LongListed<AddableContent>> {
  const found = await searchAssets(reader, { types, heldBy: null, text: search }, part);
  const held = accountId === null ? new Set() : await readHeld(reader, accountId, found.items);
  return {
    ...found,
    items: found.items.map(({ id, name, type, location }) => ({
      id,
      name,
      type: type as ContentType,
      location: location ?? '',
      held: held.has(assetKey({ type, id })),
    })),
  };
}

/** The matches that the account has directly. */
async function readHeld(
  reader: Reader,
  accountId: number,
  matches: readonly FoundAsset[],
): Promise<Set<string>> {
  const held = new Set<string>();
  for (const type of new Set(matches.map((match) => match.type))) {
    const ids = matches.filter((match) => match.type === type).map(({ id }) => id);
    const rows = await reader.query
      .selectFrom('account_contents')
      .select('account_contents.content_id')
      .where('account_contents.account_id', '=', accountId)
      .where('account_contents.content_type', '=', type)
      .where('account_contents.content_id', 'in', ids)
      .execute();
    for (const row of rows) held.add(assetKey({ type, id: row.content_id }));
  }
  return held;
}
