import type { LineState } from './line-state.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import { countDelivered, fillQueue, type QueueFilling, setLines } from './prepared-queue.ts';

export const DATABASE_NAMES = ['sqlite', 'postgres'] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];

/** The database of the measured service. */
export interface BenchDatabase extends AsyncDisposable {
  readonly name: DatabaseName;
  /** The properties of the server that affect the results, in a few words; null if they are reported elsewhere. */
  readonly about: string | null;
  /** Creates an empty one for a scenario and returns its `database_url`; null if it is in the data folder. */
  create(): Promise<string | null>;
  /** Fills the lines of a folder with messages, one per line in turn. No service may be running on it. */
  fill(folder: PreparedFolder, filling: QueueFilling): Promise<void>;
  /** Makes the filled lines due or blocked. No service may be running on the folder. */
  setLines(folder: PreparedFolder, state: LineState): Promise<void>;
  /**
   * The number of statements that the server has run in the folder's database, and of deliveries stored in it; null if
   * the server does not count.
   */
  count(folder: PreparedFolder): Promise<{ statements: number; deliveries: number } | null>;
  /** The number of delivered messages. */
  delivered(folder: PreparedFolder): Promise<number>;
}

/** SQLite in the data folder. */
export const sqliteBenchDatabase: BenchDatabase = {
  name: 'sqlite',
  about: null,
  create: async () => null,
  fill: async (folder, filling) => fillQueue(folder, filling),
  setLines: async (folder, state) => setLines(folder, state),
  count: async () => null,
  delivered: async (folder) => countDelivered(folder),
  [Symbol.asyncDispose]: async () => {},
};
