/**
 * Keeps the files of course versions, a folder each, by keys that the service draws. A key names something
 * from the moment `put` resolves until `remove` is called; what lies there never changes in between.
 */
export interface ContentStore {
  /**
   * Takes over a folder and everything in it. When this resolves, it survives a power cut. The key is the
   * caller's, so that it is known to be under way before there is anything that could be taken for an orphan.
   */
  put(key: string, stagedFolder: string): Promise<void>;
  /** Removes what is there; a key that names nothing is no error. */
  remove(key: string): Promise<void>;
  /** The folder that holds the files of a key. */
  path(key: string): string;
  /** Every key that names something. */
  keys(): Promise<string[]>;
}
