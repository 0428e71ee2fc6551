import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';

/** What a request can list to add or remove. */
export const LISTED_CONTENTS = { types: CONTENT_TYPES, maxItems: 500 };
/** Maximum number of accounts that a request can change. */
export const MAX_ACCOUNTS_AT_ONCE = 500;

/** An asset of an account. Times are in epoch milliseconds. */
export interface AccountContent {
  type: ContentType;
  id: number;
  name: string;
  /**
   * Names of the folders from the root down to the one that contains the asset, joined with ` > `. A folder's own name is
   * never part of it, so it is empty for the root.
   */
  location: string;
  addedAt: number;
}

/** An asset with its name, as in the response to an addition. */
export interface NamedAsset {
  type: ContentType;
  id: number;
  name: string;
}

/** An asset without its other members. */
export function toNamedAsset({ type, id, name }: NamedAsset): NamedAsset {
  return { type, id, name };
}

/** The result of adding assets, each list in the order of the request. */
export interface Addition {
  added: NamedAsset[];
  /** The account already had them. */
  unchanged: NamedAsset[];
}
