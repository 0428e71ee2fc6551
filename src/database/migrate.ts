import type { Database, Reader, Transaction } from './database.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { contentDomain } from './migrations/0002-content-domain.ts';
import { administrators } from './migrations/0003-administrators.ts';
import { sqs } from './migrations/0004-sqs.ts';
import { trends } from './migrations/0005-trends.ts';
import { taskLeases } from './migrations/0006-task-leases.ts';
import { sessionAddresses } from './migrations/0007-session-addresses.ts';
import { learnerSearch } from './migrations/0008-learner-search.ts';
import { clientRevisions } from './migrations/0009-client-revisions.ts';
import { doneMessages } from './migrations/0010-done-messages.ts';
import { listedDeliveries } from './migrations/0011-listed-deliveries.ts';
import { resentAttempts } from './migrations/0012-resent-attempts.ts';
import { focusedAssets } from './migrations/0013-focused-assets.ts';
import { lineMoments } from './migrations/0014-line-moments.ts';
import { sqsCopies } from './migrations/0015-sqs-copies.ts';
import { instances } from './migrations/0016-instances.ts';
import { courseStructures } from './migrations/0017-course-structures.ts';
import { player } from './migrations/0018-player.ts';
import { lrs } from './migrations/0019-lrs.ts';
import { sharedBodies } from './migrations/0020-shared-bodies.ts';
import { playerSessions } from './migrations/0021-player-sessions.ts';
import { focusNames } from './migrations/0022-focus-names.ts';
import { registrationLanguages } from './migrations/0023-registration-languages.ts';
import { pausedWebhooks } from './migrations/0024-paused-webhooks.ts';
import { signingSecrets } from './migrations/0025-signing-secrets.ts';
import { learnerProfiles } from './migrations/0026-learner-profiles.ts';
import { learnerValues } from './migrations/0027-learner-values.ts';
import { failureRuns } from './migrations/0028-failure-runs.ts';
import { traceContexts } from './migrations/0029-trace-contexts.ts';
import { events } from './migrations/0030-events.ts';
import { auditLog } from './migrations/0031-audit-log.ts';
import { alerts } from './migrations/0033-alerts.ts';
import { attemptHeaders } from './migrations/0034-attempt-headers.ts';
import { matchingChanges } from './migrations/0035-matching-changes.ts';
import { statementBytes } from './migrations/0036-statement-bytes.ts';
import { queuedAgain } from './migrations/0037-queued-again.ts';
import { launchLanguages } from './migrations/0038-launch-languages.ts';
import { registrationsByEquivalent } from './migrations/0039-registrations-by-equivalent.ts';
import { columnTypes, type Migration } from './migrations/migration.ts';

/** Every migration, in order. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  contentDomain,
  administrators,
  sqs,
  trends,
  taskLeases,
  sessionAddresses,
  learnerSearch,
  clientRevisions,
  doneMessages,
  listedDeliveries,
  resentAttempts,
  focusedAssets,
  lineMoments,
  sqsCopies,
  instances,
  courseStructures,
  player,
  lrs,
  sharedBodies,
  playerSessions,
  focusNames,
  registrationLanguages,
  pausedWebhooks,
  signingSecrets,
  learnerProfiles,
  learnerValues,
  failureRuns,
  traceContexts,
  events,
  auditLog,
  alerts,
  attemptHeaders,
  matchingChanges,
  statementBytes,
  queuedAgain,
  launchLanguages,
  registrationsByEquivalent,
];

/** The lock of migrating instances: any constant that is the same in every release. */
const MIGRATION_LOCK = 7_305_201_411;
/** While a step waits for a table, everyone after it waits, too, so it must not wait long. */
const TABLE_LOCK_TIMEOUT_MS = 10_000;

/** A later release has changed the database in a way that this program does not support. */
export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
}

/** Throws if the pending migrations must not be applied. No other program applies migrations until it has returned. */
export type MigrationGuard = (tx: Transaction, pending: readonly Migration[]) => Promise<void>;

/**
 * Migrates the schema to this program in one transaction, and returns the names of the applied migrations.
 * Instances that start at the same time take turns. Unknown migrations of a later release are ignored unless they
 * are breaking, so instances of the previous release keep running during an upgrade.
 * @param guard called before the first pending migration; what it throws leaves the schema as it is
 * @throws {NewerDatabaseError} if the database has breaking migrations that this program does not know
 * @throws {DatabaseUnavailableError} also if another instance's migration does not end in time
 */
export async function migrate(
  database: Database,
  now: () => number,
  migrations: readonly Migration[] = MIGRATIONS,
  guard: MigrationGuard = async () => {},
): Promise<string[]> {
  return await database.transaction((tx) => migrateIn(tx, now, migrations, guard), { isLong: true });
}

async function migrateIn(
  tx: Transaction,
  now: () => number,
  migrations: readonly Migration[],
  guard: MigrationGuard,
): Promise<string[]> {
  const types = columnTypes(tx.dialect);
  // On SQLite, nobody else writes while a transaction is open.
  if (tx.dialect === 'postgres') {
    await tx.all('select pg_advisory_xact_lock(?)', MIGRATION_LOCK);
    await tx.run(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
  }
  await tx.run(
    `create table if not exists migrations (
      number ${types.int} primary key, name text not null, breaking ${types.int} not null,
      applied_at ${types.int} not null)`,
  );
  const applied = await tx.all<{ number: number; name: string; breaking: number }>(
    'select number, name, breaking from migrations order by number',
  );
  const known = new Set(migrations.map(({ number }) => number));
  const newer = applied.findLast(({ number, breaking }) => breaking !== 0 && !known.has(number));
  if (newer !== undefined) {
    throw new NewerDatabaseError(
      `the database is newer than this release: it has migration ${newer.number} (${newer.name}), and this ` +
        `release knows migrations up to ${migrations.at(-1)?.number ?? 0}. Start the newer release, or restore a backup.`,
    );
  }
  const done = new Set(applied.map(({ number }) => number));
  const pending = migrations.filter(({ number }) => !done.has(number));
  if (pending.length > 0) await guard(tx, pending);
  const taken: string[] = [];
  for (const migration of pending) {
    for (const statement of migration.statements(types, tx.dialect)) await tx.run(statement);
    await tx.run(
      'insert into migrations (number, name, breaking, applied_at) values (?, ?, ?, ?)',
      migration.number,
      migration.name,
      migration.breaking === true || migration.breaking === tx.dialect ? 1 : 0,
      now(),
    );
    taken.push(migration.name);
  }
  return taken;
}

/** Whether the database has all migrations of this program. */
export async function isMigrated(reader: Pick<Reader, 'all'>): Promise<boolean> {
  const applied = await reader.all<{ number: number }>('select number from migrations');
  const numbers = new Set(applied.map(({ number }) => number));
  return MIGRATIONS.every(({ number }) => numbers.has(number));
}
