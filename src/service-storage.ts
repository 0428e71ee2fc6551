import { randomUUIDv7 } from 'node:crypto';
import { makeProbe } from './database/change-probe.ts';
import { Instances } from './housekeeping/instances.ts';
import { TaskLeases } from './housekeeping/task-leases.ts';
import { ClockWatch } from './observability/clock-watch.ts';
import { DatabaseWatch } from './observability/database-watch.ts';
import type { Logger, Logs } from './observability/log.ts';
import { secretFindings } from './secrets/secret-check.ts';
import { delivers } from './settings/delivers.ts';
import { describeRuntime, type Runtime } from './settings/runtime.ts';
import type { Settings } from './settings/settings-table.ts';
import { sharedSettings } from './settings/shared-settings.ts';
import { openStorage, type Storage } from './storage.ts';

/** The storage of a running service, and what watches over it. */
export interface ServiceStorage extends Storage {
  /** Epoch milliseconds on the clock that all instances of the database share. */
  now: () => number;
  leases: TaskLeases;
  clockWatch: ClockWatch;
  databaseWatch: DatabaseWatch;
  instances: Instances;
  /** Identifies this start of the service among all instances. */
  instance: string;
  runtime: Runtime;
}

/**
 * Opens the storage for a service: no other process may serve from the embedded database, and the instances of a shared
 * one compare their settings.
 * @param now overrides the database's clock
 * @param onLost called when the database accepts no more changes until a restart
 * @param signal ends the wait of a migration for others that use the tables
 * @throws what `openStorage` throws
 */
export async function openServiceStorage(
  settings: Settings,
  {
    logs,
    now: givenNow,
    onLost,
    signal,
  }: {
    logs: Logs;
    now: (() => number) | undefined;
    onLost: (error: Error) => void;
    signal: AbortSignal | undefined;
  },
): Promise<ServiceStorage> {
  await using stack = new AsyncDisposableStack();
  const log = logs.for('Database');
  const storage = stack.use(
    await openStorage(settings, {
      exclusive: true,
      now: givenNow ?? Date.now,
      onBlocked: ({ text, blockers }) => log.warn(text, { blockers }),
      signal,
    }),
  );
  const { database } = storage;
  const now = givenNow ?? (() => database.clock.now());
  const serviceLog = logs.for('Service');
  const leases = new TaskLeases({ database, now });
  const clockWatch = new ClockWatch(database.clock, log);
  const databaseWatch = stack.use(
    new DatabaseWatch({
      database,
      tryChange: () => database.transaction((tx) => makeProbe(tx, 'change-probe')),
      log,
      onLost,
    }),
  );
  logOpened(storage, { log, serviceLog });
  const runtime = describeRuntime();
  const instance = randomUUIDv7();
  const instances = stack.use(
    new Instances({
      database,
      settings: sharedSettings(settings, runtime.hostName),
      about: { instance, hostName: runtime.hostName, delivers: delivers(settings) },
      log: serviceLog,
      now,
    }),
  );
  // Only one instance serves from the embedded database.
  if (database.dialect === 'postgres') await instances.start();
  const opened = stack.move();
  return {
    ...storage,
    now,
    leases,
    clockWatch,
    databaseWatch,
    instances,
    instance,
    runtime,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Logs what was opened and migrated, and what is wrong with the secrets. */
function logOpened(
  { database, migrated, secretUse, cipher }: Storage,
  { log, serviceLog }: { log: Logger; serviceLog: Logger },
): void {
  log.info('opened the database', { engine: database.dialect });
  if (migrated.length > 0) log.info('migrated the database', { migrations: migrated });
  for (const { serious, text } of secretFindings(secretUse, cipher.hasFormer)) {
    if (serious) serviceLog.error(text);
    else serviceLog.warn(text);
  }
}
