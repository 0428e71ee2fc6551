import { CONTENT_TYPES } from '../../events/catalogue.ts';
import type { NamedAsset } from '../assets/assets.ts';

/** What a request can list to add or remove. */
export const LISTED_CONTENTS = { types: CONTENT_TYPES, maxItems: 500 };
/** Maximum number of accounts that a request can change. */
export const MAX_ACCOUNTS_AT_ONCE = 500;

/** An asset of an account. Times are in epoch milliseconds. */
export interface AccountContent extends NamedAsset {
  /**
   * Names of the folders from the root down to the one that contains the asset, joined with ` > `. A folder's own name is
   * never part of it, so it is empty for the root.
   */
  location: string;
  addedAt: number;
}

/** The result of adding assets, each list in the order of the request. */
export interface Addition {
  added: NamedAsset[];
  /** The account already had them. */
  unchanged: NamedAsset[];
}
