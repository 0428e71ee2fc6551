import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentType } from '../../events/catalogue.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import type { LongListed } from '../list-query.ts';
import { type AssetMatch, countAssetMatches, readAssetMatches } from './asset-matches.ts';
import { readLocations } from './locations.ts';

/** Content that can be added to an account, an equivalent or a bundle. */
export interface AddableContent {
  type: ContentType;
  id: number;
  name: string;
  location: string;
  /** Whether the account already has it directly; false if there is no account. */
  held: boolean;
}

/**
 * A page of the content whose name contains the text or whose id it is. Names that equal the text come first, then names
 * that begin with it, then all others, each ordered by name. Counted up to {@link MAX_COUNTED}.
 */
export async function listAddableContent(
  reader: Reader,
  {
    accountId,
    search,
    types,
  }: { accountId: number | null; search: string | null; types: readonly ContentType[] },
  part: { limit: number; offset: number },
): Promise<LongListed<AddableContent>> {
  const scope = { types, heldBy: null };
  const matches = await readAssetMatches(reader, scope, search, part);
  const total = await countAssetMatches(reader, scope, search);
  const held = accountId === null ? new Set() : await readHeld(reader, accountId, matches);
  const locations = await readLocations(
    reader,
    matches.flatMap((match) => match.folder_id ?? []),
  );
  return {
    items: matches.map(({ folder_id, type, ...match }) => ({
      ...match,
      type: type as ContentType,
      location: locations.get(folder_id ?? 0) ?? '',
      held: held.has(assetKey({ type, id: match.id })),
    })),
    total: Math.min(total, MAX_COUNTED),
    totalIsLowerBound: total > MAX_COUNTED,
  };
}

/** The matches that the account has directly. */
async function readHeld(
  reader: Reader,
  accountId: number,
  matches: readonly AssetMatch[],
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
