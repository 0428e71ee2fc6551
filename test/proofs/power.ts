import path from 'node:path';
import { describe, it } from 'node:test';
import { runCrash } from '../reliability/crash-run.ts';
import { seedOfRun } from '../reliability/seeded-random.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { type LosableDisk, mountLosableDisk } from '../support/losable-disk.ts';
import { ON_POSTGRES, setDatabaseUrlOf } from '../support/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { noteSkipped } from './notes.ts';
import { showTable } from './show-table.ts';

/**
 * Like `crash`, but at each kill the disk also loses its power, and with it all unsynced data. All confirmed changes
 * are kept, and every message arrives in order. Messages whose outcomes were not on disk yet are delivered again.
 */

const KILLS = Number(process.env.POWER_KILLS ?? 200);
const CLIENTS = Number(process.env.POWER_CLIENTS ?? 20);
const WEBHOOKS = Number(process.env.POWER_WEBHOOKS ?? 50);
const MS_PER_KILL = 30_000;
/** A log of PostgreSQL has files of 16 MiB. */
const DISK_MIB = 1_024;
const SMALL_LOG = ['min_wal_size=32MB', 'max_wal_size=64MB'];

const disk: LosableDisk | string = await mountLosableDisk(DISK_MIB);
if (typeof disk === 'string') noteSkipped(disk);

/** A PostgreSQL server that syncs, with its data on the disk. */
async function startServerOn(folder: string): Promise<PostgresServer> {
  return await startPostgresServer({ isDurable: true, parent: folder, flags: SMALL_LOG });
}

describe('a process that is killed while its disk loses power', {
  skip: typeof disk === 'string' && disk,
}, () => {
  it('keeps what it confirmed', { timeout: TEST_TIMEOUT_MS + KILLS * MS_PER_KILL }, async () => {
    if (typeof disk === 'string') return;
    const seed = seedOfRun();
    await using stack = new AsyncDisposableStack();
    stack.use(disk);
    const dataDir = path.join(disk.folder, 'coursewire');
    const server = ON_POSTGRES ? stack.use(await startServerOn(disk.folder)) : null;
    if (server !== null) setDatabaseUrlOf(dataDir, server.url);
    const restore = async () => {
      await server?.crash();
      await disk.mountAgain();
      await server?.start();
    };
    try {
      const result = await runCrash({
        seed,
        clients: CLIENTS,
        webhooks: WEBHOOKS,
        kills: KILLS,
        disk: { dataDir, losePower: disk.losePower, restore },
      });
      showTable([{ seed, ...result, lost: 0, 'out of order': 0 }]);
    } catch (error) {
      throw new Error(`failed with --seed ${seed}`, { cause: error });
    }
  });
});
