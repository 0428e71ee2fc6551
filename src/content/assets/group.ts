/** A bundle or an equivalent: contents in an order, in a folder. Times are in epoch milliseconds. */
export interface Group<Content> {
  id: number;
  name: string;
  folderId: number;
  /** Names of the folders from the root down to its own, joined with ` > `. */
  location: string;
  contents: Content[];
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** The new state of a group. The folder defaults to the root. */
export interface GroupInput<Given> {
  name: string;
  folderId: number | null;
  contents: readonly Given[];
}

/** The new state of a group whose folder and contents exist. */
export interface GroupValues<Given> extends GroupInput<Given> {
  folderId: number;
}
