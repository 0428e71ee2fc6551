import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { lockFor } from './advisory-locks.ts';
import { type Database, DatabaseUnavailableError, type Reader, type Transaction } from './database.ts';
import { type Blocker, BlockerWatch, describeBlockers } from './migration-blockers.ts';
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
import { eventBlocksByTime } from './migrations/0040-event-blocks-by-time.ts';
import { sessionPages } from './migrations/0041-session-pages.ts';
import { eventKeyFormats } from './migrations/0043-event-key-formats.ts';
import { continuedPages } from './migrations/0044-continued-pages.ts';
import { attemptsBefore } from './migrations/0045-attempts-before.ts';
import { listIndexes } from './migrations/0046-list-indexes.ts';
import { columnTypes, type Migration } from './migrations/migration.ts';
import { isLockTimeout, StatementError } from './postgres/postgres-errors.ts';

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
  eventBlocksByTime,
  sessionPages,
  eventKeyFormats,
  continuedPages,
  attemptsBefore,
  listIndexes,
];

/**
 * How much longer than the server's `deadlock_timeout` a step waits for a table. Everyone else waits behind it, so it must
 * not wait long. But only after that timeout does the server cancel an automatic vacuum that is in the way.
 */
const TABLE_LOCK_MARGIN_MS = 1_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
const PATIENCE_MS = 10 * MINUTE_MS;
const INSUFFICIENT_PRIVILEGE = '42501';
/** Without a right on the schema, PostgreSQL does not find it. */
const INVALID_SCHEMA_NAME = '3F000';
const LACKS_RIGHTS: ReadonlySet<string> = new Set([INSUFFICIENT_PRIVILEGE, INVALID_SCHEMA_NAME]);
const DUPLICATE_TABLE = '42P07';
const RIGHTS_ADVICE = 'Its user must own the tables of this service and be allowed to create more';
const DUPLICATE_ADVICE =
  'It belongs to another program, or its restore was not completed. Create an empty database for this service';

/** A later release has changed the database in a way that this program does not support. */
export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
}

/** Throws if the pending migrations must not be applied. No other program applies migrations until it has returned. */
export type MigrationGuard = (tx: Transaction, pending: readonly Migration[]) => Promise<void>;

/** An attempt to migrate failed because others use the tables. There will be another one. */
export interface BlockedAttempt {
  /** For people: who uses the tables, and when the next attempt is. */
  readonly text: string;
  readonly blockers: readonly Blocker[];
}

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** Called before the first pending migration, again for each attempt. If it throws, the schema is not changed. */
  guard?: MigrationGuard;
  onBlocked?: (attempt: BlockedAttempt) => void;
  /** Ends the pause between two attempts. `migrate` then rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** The name of the database in errors. @defaultValue the database */
  called?: string;
  /** What to do if the database is newer than this program. @defaultValue to start the newer release, or to restore a backup */
  adviceIfNewer?: string;
  /** For how long attempts that others block are repeated. @defaultValue ten minutes */
  patienceMs?: number;
}

/**
 * Migrates the schema to this program in one transaction, and returns the names of the applied migrations.
 * Instances that start at the same time take turns. Unknown migrations of a later release are ignored unless they
 * are breaking, so instances of the previous release keep running during an upgrade.
 *
 * On PostgreSQL, an attempt ends soon if others use the tables, such as `pg_dump`, because everyone else waits behind it. It
 * is repeated after growing pauses.
 * @throws {NewerDatabaseError} if the database has breaking migrations that this program does not know
 * @throws {StatementError} also if the user of the database may not change its tables
 * @throws {DatabaseUnavailableError} also if another instance's migration, or those that use the tables, do not end in time
 */
export async function migrate(
  database: Database,
  now: () => number,
  migrations: readonly Migration[] = MIGRATIONS,
  {
    guard = async () => {},
    onBlocked = () => {},
    signal,
    called = 'the database',
    adviceIfNewer = 'Start the newer release, or restore a backup',
    patienceMs = PATIENCE_MS,
  }: MigrateOptions = {},
): Promise<string[]> {
  const startedAt = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const attempt = await tryToMigrate(database, called, (tx, onTurn) =>
      migrateIn(tx, { now, migrations, guard, called, adviceIfNewer, onTurn }),
    ).catch((error: unknown) => {
      throw withAdvice(error, `${called} cannot be migrated`);
    });
    if ('applied' in attempt) return attempt.applied;
    const { blockers, error } = attempt;
    const blockedBy = `${called} cannot be migrated while its tables are used by ${describeBlockers(blockers)}`;
    if (performance.now() - startedAt + pauseMs > patienceMs)
      throw new DatabaseUnavailableError(`${blockedBy}; start again when that has ended`, { cause: error });
    onBlocked({ text: `${blockedBy}; the next attempt is in ${pauseMs / SECOND_MS} s`, blockers });
    await wait(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/**
 * The error of a statement, with what to do if the user of the database has too few rights, or if others have created its
 * tables. `failed` says what cannot be done.
 */
export function withAdvice(error: unknown, failed: string): unknown {
  const advice = error instanceof StatementError ? adviceFor(error.code) : null;
  if (!(error instanceof StatementError) || advice === null) return error;
  return new StatementError(
    `${failed}: ${error.message}. ${advice} (see "PostgreSQL" in docs/operating.md)`,
    error.code,
  );
}

function adviceFor(code: string): string | null {
  if (LACKS_RIGHTS.has(code)) return RIGHTS_ADVICE;
  return code === DUPLICATE_TABLE ? DUPLICATE_ADVICE : null;
}

/**
 * Returns who blocked the attempt, if that is why it failed. `onTurn` receives the process of its session on PostgreSQL.
 * @throws {DatabaseUnavailableError} also if another instance's migration has not ended in time
 */
async function tryToMigrate(
  database: Database,
  called: string,
  run: (tx: Transaction, onTurn: (pid: number) => void) => Promise<string[]>,
): Promise<{ applied: string[] } | { blockers: readonly Blocker[]; error: unknown }> {
  await using watch = new BlockerWatch(database.reader);
  try {
    const applied = await database.transaction((tx) => run(tx, (pid) => watch.watch(pid)), { isLong: true });
    return { applied };
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    if (watch.isWatching) return { blockers: watch.last, error };
    // Before its turn, it waited for the migration of another instance, which blocks nobody else.
    throw new DatabaseUnavailableError(
      `${called} is still being migrated by another instance, or by one that was killed; start again when that has ended`,
      { cause: error },
    );
  }
}

/** Waits until no other instance migrates, then limits the waits for tables. Returns the process of the session. */
async function takeTurn(tx: Transaction): Promise<number> {
  await lockFor(tx, 'migrating');
  const [row] = await tx.all<{ pid: number }>(
    `select pg_backend_pid() as pid, set_config('lock_timeout', (setting::int + ?::int)::text, true)
     from pg_settings where name = 'deadlock_timeout'`,
    TABLE_LOCK_MARGIN_MS,
  );
  return row!.pid;
}

async function migrateIn(
  tx: Transaction,
  {
    now,
    migrations,
    guard,
    called,
    adviceIfNewer,
    onTurn,
  }: {
    now: () => number;
    migrations: readonly Migration[];
    guard: MigrationGuard;
    called: string;
    adviceIfNewer: string;
    onTurn: (pid: number) => void;
  },
): Promise<string[]> {
  const types = columnTypes(tx.dialect);
  // On SQLite, nobody else writes while a transaction is open.
  if (tx.dialect === 'postgres') onTurn(await takeTurn(tx));
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
      `${called} is newer than this release: it has migration ${newer.number} (${newer.name}), and this ` +
        `release knows migrations up to ${migrations.at(-1)?.number ?? 0}. ${adviceIfNewer}.`,
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
