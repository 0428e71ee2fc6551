import type { ContentType } from '../../events/catalogue.ts';

/** An asset that an account was given. Moments are epoch milliseconds. */
export interface AccountContent {
  type: ContentType;
  id: number;
  name: string;
  /** Names of the folders from the root down to the asset's own, joined with ` > `; of a folder, its own included. */
  location: string;
  addedAt: number;
}

/** An asset with its name, as the answer to an addition tells of it. */
export interface NamedAsset {
  type: ContentType;
  id: number;
  name: string;
}

/** What became of the assets that were to be added, each list in the order of the request. */
export interface Addition {
  added: NamedAsset[];
  /** The account had them already. */
  unchanged: NamedAsset[];
}
