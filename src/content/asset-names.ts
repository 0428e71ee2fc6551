import type { Reader } from '../database/database.ts';
import type { FocusType } from '../events/catalogue.ts';
import { readAccountNames } from './accounts/account-store.ts';

/** The present names of assets, by `TYPE id`; assets that do not exist are missing. */
export async function readAssetNames(
  reader: Pick<Reader, 'query' | 'all' | 'dialect'>,
  references: readonly { type: FocusType; id: number }[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const ids = references.filter(({ type }) => type === 'ACCOUNT').map(({ id }) => id);
  for (const [id, name] of await readAccountNames(reader, ids)) names.set(`ACCOUNT ${id}`, name);
  return names;
}
