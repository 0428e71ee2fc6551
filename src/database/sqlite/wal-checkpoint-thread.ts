import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { MIB } from '../../bytes.ts';

/** The requests to the thread. `finish`: copies as well, and cuts the log if it has become very large. */
export type CheckpointRequest = 'copy' | 'finish' | 'end';

/** The response to `copy` and `finish`. */
export type CheckpointResult = { error: string } | ({ error: null } & LogRest);

/** What a copy left in the log, in pages. */
export interface LogRest {
  /** What a long read kept it from copying. */
  keptByReaders: number;
  /** All that is not copied now, including what was written in the meantime. */
  uncopied: number;
}

const CACHE_KIB = 512;
/**
 * The log is cut beyond this size. Usually it is smaller: to cut it each time would mean to extend it again, and longer
 * syncs.
 */
const KEPT_LOG_BYTES = 128 * MIB;
/** How long the cut waits for reads to end. Writers wait in the meantime. */
const READS_TIMEOUT_MS = 50;

/** The entry point of the thread that {@link WalCheckpoints} starts. Its data is the path of the database. */
function serve(): void {
  const port = parentPort;
  if (port === null) throw new Error('this runs on a thread of its own');
  const file = workerData as string;
  const connection = new DatabaseSync(file, { timeout: READS_TIMEOUT_MS });
  connection.exec(
    `pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma cache_size = -${CACHE_KIB}`,
  );
  const copy = connection.prepare('pragma wal_checkpoint(passive)');
  const cut = connection.prepare('pragma wal_checkpoint(truncate)');
  const state = connection.prepare('pragma wal_checkpoint(noop)');
  port.on('message', (request: CheckpointRequest) => {
    if (request === 'end') {
      connection.close();
      port.close();
      return;
    }
    let result: CheckpointResult;
    try {
      const keptByReaders = pagesLeft(copy);
      // SQLite would cut it as well (`journal_size_limit`), but in a commit: a second of the event loop for some gigabytes.
      if (request === 'finish' && statSync(`${file}-wal`).size > KEPT_LOG_BYTES) cut.get();
      result = { error: null, keptByReaders, uncopied: pagesLeft(state) };
    } catch (thrown) {
      result = { error: String(thrown) };
    }
    port.postMessage(result);
  });
}

/** Runs a statement that returns the state of the log, and returns how many of its pages are not copied. */
function pagesLeft(statement: StatementSync): number {
  const { log, checkpointed } = statement.get() as { log: number; checkpointed: number };
  return log - checkpointed;
}

serve();
