import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** The requests to the thread. */
export type CheckpointRequest = 'copy' | 'end';

/** The response to `copy`; the error is null if it succeeded. */
export interface CheckpointResult {
  error: string | null;
}

const CACHE_KIB = 512;

/** The entry point of the thread that {@link WalCheckpoints} starts. Its data is the path of the database. */
function serve(): void {
  const port = parentPort;
  if (port === null) throw new Error('this runs on a thread of its own');
  const connection = new DatabaseSync(workerData as string);
  connection.exec(
    `pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma cache_size = -${CACHE_KIB}`,
  );
  const copy = connection.prepare('pragma wal_checkpoint(passive)');
  port.on('message', (request: CheckpointRequest) => {
    if (request === 'end') {
      connection.close();
      port.close();
      return;
    }
    let error: string | null = null;
    try {
      copy.get();
    } catch (thrown) {
      error = String(thrown);
    }
    port.postMessage({ error } satisfies CheckpointResult);
  });
}

serve();
