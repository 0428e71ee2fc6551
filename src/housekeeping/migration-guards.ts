import { type DataFolder, lockDataFolder } from '../database/data-folder.ts';
import type { Transaction } from '../database/database.ts';
import { instances } from '../database/migrations/0016-instances.ts';
import type { Migration } from '../database/migrations/migration.ts';
import { readRunningHosts } from './instances.ts';

/** A command would change the schema of a database while a service of an earlier release is using it. */
export class PendingMigrationError extends Error {
  override name = 'PendingMigrationError';
}

/**
 * Refuses to migrate an embedded database that a service is using. The lock is held only for a moment: a service that starts
 * afterwards waits for the migration, and then refuses a schema that it does not support.
 * @throws {DataFolderError}
 */
export function assertFolderUnused(folder: DataFolder, pending: readonly Migration[]): void {
  const refusal = (holder: string) =>
    `${lacking(pending)}, and ${holder}, probably a service of an earlier release, is using the data folder ${folder.path}. ` +
    'Restart the service with this release, then run this command again.';
  lockDataFolder(folder, refusal)[Symbol.dispose]();
}

/**
 * Refuses to migrate a shared database on which instances are running.
 * @throws {PendingMigrationError}
 */
export async function assertNoInstanceRuns(
  tx: Transaction,
  pending: readonly Migration[],
  now: number,
): Promise<void> {
  // A database of such an early release does not say which instances are running.
  if (pending.includes(instances)) return;
  const hosts = await readRunningHosts(tx, now);
  if (hosts.length === 0) return;
  throw new PendingMigrationError(
    `${lacking(pending)}, and instances of an earlier release are running on ${hosts.join(', ')}. Upgrade the service to this ` +
      'release, then run this command again. An instance that was killed counts as running for 30 s.',
  );
}

function lacking(pending: readonly Migration[]): string {
  const names = pending.map(({ name }) => name).join(', ');
  return `the database lacks migrations of this release (${names})`;
}
