import type { Database } from '../../database/database.ts';
import type { Instances, SettingDifference } from '../../housekeeping/instances.ts';
import type { ClockWatch } from '../../observability/clock-watch.ts';
import { type ReadinessCheck, resultOf } from '../../observability/health-routes.ts';
import type { MessageQueue } from '../../queue/message-queue.ts';
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
  checks: Record<string, 'ok' | 'failed'>;
  database: { engine: string; sizeBytes: number | null };
  /** How far the clock of this machine is ahead of the database server's, in milliseconds; null while it is fine. */
  clockAheadMs: number | null;
  queue: { engine: string; state: QueueState; obstacle: string | null };
  /** Where the files of courses are kept. */
  contentStore: 'folder' | 's3';
  settings: readonly DescribedSetting[];
  /** Settings that all instances must share and of which another one holds another value. */
  settingDifferences: readonly SettingDifference[];
  /** What the address that courses are served from risks, a sentence each. */
  contentOriginRisks: readonly string[];
}

/** Reads the health of the service. */
export class HealthReader {
  readonly #database: Database;
  readonly #queue: Pick<MessageQueue, 'engine'> & { obstacle(): string | null };
  readonly #checks: Readonly<Record<string, ReadinessCheck>>;
  readonly #clock: ClockWatch;
  readonly #instances: Pick<Instances, 'differences'>;
  readonly #contentOriginRisks: () => readonly string[];
  readonly #settings: Settings;
  readonly #about: { version: string; runtime: Runtime; instance: string; startedAt: number };

  constructor(dependencies: {
    database: Database;
    queue: Pick<MessageQueue, 'engine'> & { obstacle(): string | null };
    checks: Readonly<Record<string, ReadinessCheck>>;
    clock: ClockWatch;
    instances: Pick<Instances, 'differences'>;
    contentOriginRisks: () => readonly string[];
    settings: Settings;
    about: { version: string; runtime: Runtime; instance: string; startedAt: number };
  }) {
    this.#database = dependencies.database;
    this.#queue = dependencies.queue;
    this.#checks = dependencies.checks;
    this.#clock = dependencies.clock;
    this.#instances = dependencies.instances;
    this.#contentOriginRisks = dependencies.contentOriginRisks;
    this.#settings = dependencies.settings;
    this.#about = dependencies.about;
  }

  async read(): Promise<HealthOverview> {
    const results = Object.entries(this.#checks).map(
      async ([name, check]) => [name, await resultOf(check)] as const,
    );
    return {
      ...this.#about,
      checks: Object.fromEntries(await Promise.all(results)),
      database: { engine: this.#database.dialect, sizeBytes: await this.#readSize() },
      clockAheadMs: this.#clock.wrongByMs,
      queue: { engine: this.#queue.engine, state: this.#queueState(), obstacle: this.#queue.obstacle() },
      contentStore: this.#settings.content_store?.startsWith('s3://') ? 's3' : 'folder',
      settings: describeSettings(this.#settings),
      settingDifferences: this.#instances.differences,
      contentOriginRisks: this.#contentOriginRisks(),
    };
  }

  /** Null when the database does not answer, which the checks tell. */
  async #readSize(): Promise<number | null> {
    let size: number | null = null;
    const result = await resultOf(async () => {
      const [row] = await this.#database.reader.all<{ bytes: number }>(
        this.#database.dialect === 'sqlite'
          ? `select (select page_count from pragma_page_count()) * (select page_size from pragma_page_size()) as bytes`
          : 'select pg_database_size(current_database()) as bytes',
      );
      size = row === undefined ? null : Number(row.bytes);
    });
    return result === 'ok' ? size : null;
  }

  #queueState(): QueueState {
    if (!this.#settings.enable_webhooks_service) return 'webhooks_disabled';
    return this.#settings.enable_queue_polling ? 'delivering' : 'polling_disabled';
  }
}
