import { isDeepStrictEqual } from 'node:util';
import type { Database, Reader } from '../database/database.ts';
import type { InstanceRow } from '../database/schema.ts';
import type { Logger } from '../observability/log.ts';
import { BackgroundTask } from '../time/background-task.ts';

/** How often an instance reports that it is running. */
const BEAT_MS = 10_000;
/** An instance that has not reported for this time is considered stopped. */
const GONE_AFTER_MS = 3 * BEAT_MS;
/** SQL, with the parameters of {@link runningAt}. One that reported in the future did so before the clock was set back. */
const IS_RUNNING = '(seen_at >= ? and seen_at <= ?)';
/** Notifies the other instances when one starts or stops. */
const CHANNEL = 'coursewire_instances';

/** A setting that all instances of a database must share, but whose value differs on another instance. */
export interface SettingDifference {
  setting: string;
  value: unknown;
  otherValue: unknown;
  otherInstance: string;
  otherHost: string;
}

/** Dependencies of {@link Instances}. */
export interface InstancesDependencies {
  database: Database;
  /** By name, in JSON form and without secrets. */
  settings: Readonly<Record<string, unknown>>;
  /** `delivers`: whether this instance delivers messages. */
  about: { instance: string; hostName: string; delivers: boolean };
  log: Logger;
  now: () => number;
}

/** Settings by name, in JSON form. */
type Values = Record<string, unknown>;

/** Stored with the settings of an instance, but never compared: instances may differ in whether they deliver. */
const DELIVERS = 'delivers';

/**
 * Compares the settings that all instances of a database must share. Each instance has a row with its values, and with
 * whether it delivers. A difference is logged once as a warning, and is listed until it is corrected or the other instance
 * has stopped.
 */
export class Instances implements AsyncDisposable {
  readonly #with: InstancesDependencies;
  #differences: readonly SettingDifference[] = [];
  #othersDeliver = false;
  #listening: Disposable | null = null;
  readonly #beats = new BackgroundTask({
    round: async () => {
      await this.#enter(false);
      await this.#compare();
    },
    firstPauseMs: BEAT_MS,
    pauseMs: BEAT_MS,
    // An outage of the database is logged elsewhere. The next beat retries.
    onError: () => {},
  });

  constructor(dependencies: InstancesDependencies) {
    this.#with = dependencies;
  }

  /** The state at the last comparison. */
  get differences(): readonly SettingDifference[] {
    return this.#differences;
  }

  /** Whether any instance of the database delivers messages, as of the last comparison. */
  get anyDelivers(): boolean {
    return this.#with.about.delivers || this.#othersDeliver;
  }

  /**
   * Records this instance, compares it with the others, and repeats that in the background.
   * @throws {DatabaseUnavailableError}
   */
  async start(): Promise<void> {
    await this.#enter(true);
    await this.#compare();
    this.#listening = this.#with.database.onSignal(CHANNEL, () => this.#beats.wake());
    this.#beats.start();
  }

  /** Removes this instance and notifies the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#listening === null) return;
    this.#listening[Symbol.dispose]();
    await this.#beats[Symbol.asyncDispose]();
    await this.#leave().catch(() => {
      // The other instances find out a little later.
    });
  }

  async #enter(isNew: boolean): Promise<void> {
    const now = this.#with.now();
    await this.#with.database.transaction(async (tx) => {
      await tx.run(`delete from instances where not ${IS_RUNNING}`, ...runningAt(now));
      await tx.run(
        `insert into instances (instance, host_name, settings, seen_at) values (?, ?, ?, ?)
         on conflict (instance) do update set seen_at = excluded.seen_at`,
        this.#with.about.instance,
        this.#with.about.hostName,
        JSON.stringify({ ...this.#with.settings, [DELIVERS]: this.#with.about.delivers }),
        now,
      );
      if (isNew) tx.signal(CHANNEL);
    });
  }

  async #leave(): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      await tx.run('delete from instances where instance = ?', this.#with.about.instance);
      tx.signal(CHANNEL);
    });
  }

  async #compare(): Promise<void> {
    const others = await this.#with.database.reader.all<Omit<InstanceRow, 'seen_at'>>(
      `select instance, host_name, settings from instances where instance <> ? and ${IS_RUNNING} order by instance`,
      this.#with.about.instance,
      ...runningAt(this.#with.now()),
    );
    const values = others.map((other) => ({ other, theirs: JSON.parse(other.settings) as Values }));
    // Earlier releases do not say. Nearly every instance delivers.
    this.#othersDeliver = values.some(({ theirs }) => theirs[DELIVERS] !== false);
    const before = this.#differences;
    const now = values.flatMap(({ other, theirs }) => this.#differencesTo(other, theirs));
    this.#differences = now;
    for (const difference of now) {
      if (before.some((one) => isSame(one, difference))) continue;
      const { setting, value, otherValue, otherHost } = difference;
      this.#with.log.warn(
        `instances of this database must share ${setting}: it is ${JSON.stringify(value)} here and ` +
          `${JSON.stringify(otherValue)} on ${otherHost}`,
        fieldsOf(difference),
      );
    }
    for (const difference of before) {
      if (now.some((one) => isSame(one, difference))) continue;
      this.#with.log.info(
        `${difference.setting} no longer differs between these instances`,
        fieldsOf(difference),
      );
    }
  }

  /** Ignores settings that only one of two releases has, because both run during an upgrade. */
  #differencesTo(other: Pick<InstanceRow, 'instance' | 'host_name'>, theirs: Values): SettingDifference[] {
    const ours = JSON.parse(JSON.stringify(this.#with.settings)) as Values;
    return Object.keys(ours)
      .filter((name) => Object.hasOwn(theirs, name) && !isDeepStrictEqual(ours[name], theirs[name]))
      .map((name) => ({
        setting: name,
        value: ours[name],
        otherValue: theirs[name],
        otherInstance: other.instance,
        otherHost: other.host_name,
      }));
  }
}

/** The hosts on which instances are running, each once. Empty for the embedded database, whose folder is locked instead. */
export async function readRunningHosts(reader: Pick<Reader, 'all'>, now: number): Promise<string[]> {
  const rows = await reader.all<{ host_name: string }>(
    `select distinct host_name from instances where ${IS_RUNNING} order by host_name`,
    ...runningAt(now),
  );
  return rows.map((row) => row.host_name);
}

function runningAt(now: number): [number, number] {
  return [now - GONE_AFTER_MS, now + GONE_AFTER_MS];
}

function isSame(one: SettingDifference, other: SettingDifference): boolean {
  return one.setting === other.setting && one.otherInstance === other.otherInstance;
}

function fieldsOf({ setting, value, otherValue, otherInstance, otherHost }: SettingDifference) {
  return {
    setting,
    value,
    other_value: otherValue,
    other_instance: otherInstance,
    other_host: otherHost,
  };
}
