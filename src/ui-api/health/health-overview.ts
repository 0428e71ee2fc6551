import type { Database } from '../../database/database.ts';
import type { ConnectionTrouble } from '../../delivery/connection-troubles.ts';
import type { Instances, SettingDifference } from '../../housekeeping/instances.ts';
import type { ClockWatch } from '../../observability/clock-watch.ts';
import { type CheckResult, failureOf } from '../../observability/readiness.ts';
import { contentPlaceOf } from '../../settings/content-place.ts';
import { type DescribedSetting, describeSettings } from '../../settings/describe-settings.ts';
import type { Runtime } from '../../settings/runtime.ts';
import type { Settings } from '../../settings/settings-table.ts';

/** `delivering`, or why not: the settings keep the queue from being polled, or the whole webhooks service from working. */
export type QueueState = 'delivering' | 'polling_disabled' | 'webhooks_disabled';

/** The health of the service for operators, without secrets. */
export interface HealthOverview {
  version: string;
  runtime: Runtime;
  /** Identifies this run of this instance. */
  instance: string;
  /** Epoch milliseconds. */
  startedAt: number;
  /** By name, as for readiness. */
  checks: Record<string, CheckResult>;
  database: { engine: string; sizeBytes: number | null };
  /** How far the clock of this machine is ahead of the database server's, in milliseconds; null while it is fine. */
  clockAheadMs: number | null;
  queue: { engine: string; state: QueueState; obstacle: string | null };
  /** Null while this machine can connect to targets, as far as this instance knows. */
  connectionTrouble: ConnectionTrouble | null;
  /** Where the files of courses are kept. */
  contentStore: 'folder' | 's3';
  settings: readonly DescribedSetting[];
  /** Settings that all instances must share but that differ on another instance. */
  settingDifferences: readonly SettingDifference[];
  /** Security risks of the content origin, one sentence each. */
  contentOriginRisks: readonly string[];
}

/** Dependencies of {@link HealthReader}. */
export interface HealthReaderDependencies {
  database: Database;
  queue: { engine: string; obstacle(): string | null };
  runChecks: () => Promise<Record<string, CheckResult>>;
  connectionTrouble: () => ConnectionTrouble | null;
  clock: ClockWatch;
  instances: Pick<Instances, 'differences'>;
  contentOriginRisks: () => readonly string[];
  settings: Settings;
  about: { version: string; runtime: Runtime; instance: string; startedAt: number };
}

/** Reads the health of the service. */
export class HealthReader {
  readonly #with: HealthReaderDependencies;

  constructor(dependencies: HealthReaderDependencies) {
    this.#with = dependencies;
  }

  async read(): Promise<HealthOverview> {
    return {
      ...this.#with.about,
      checks: await this.#with.runChecks(),
      database: { engine: this.#with.database.dialect, sizeBytes: await this.#readSize() },
      clockAheadMs: this.#with.clock.wrongByMs,
      queue: {
        engine: this.#with.queue.engine,
        state: this.#queueState(),
        obstacle: this.#with.queue.obstacle(),
      },
      connectionTrouble: this.#with.connectionTrouble(),
      contentStore: contentPlaceOf(this.#with.settings)?.kind ?? 'folder',
      settings: describeSettings(this.#with.settings),
      settingDifferences: this.#with.instances.differences,
      contentOriginRisks: this.#with.contentOriginRisks(),
    };
  }

  /** Null if the database does not respond, which the checks report. */
  async #readSize(): Promise<number | null> {
    let size: number | null = null;
    const failure = await failureOf(async () => {
      const [row] = await this.#with.database.reader.all<{ bytes: number }>(
        this.#with.database.dialect === 'sqlite'
          ? `select (select page_count from pragma_page_count()) * (select page_size from pragma_page_size()) as bytes`
          : 'select pg_database_size(current_database()) as bytes',
      );
      size = row === undefined ? null : Number(row.bytes);
    });
    return failure === null ? size : null;
  }

  #queueState(): QueueState {
    if (!this.#with.settings.enable_webhooks_service) return 'webhooks_disabled';
    return this.#with.settings.enable_queue_polling ? 'delivering' : 'polling_disabled';
  }
}
