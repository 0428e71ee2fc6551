import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { readWhole } from '../support/each-page.ts';
import { databaseUrlOf } from '../support/postgres.ts';
import { type Answer, Api, createClient, requestToken, temporaryFolder, until } from '../support/service.ts';
import { type ServingProcess, startProcess } from '../support/service-process.ts';

type Settings = Partial<Parameters<typeof startProcess>[0]>;

const REFUSALS: ReadonlySet<number> = new Set([408, 503]);
/** How long calls may be rejected after an instance was thawed. */
const FROST_MS = 30_000;
const SECRET = 'instances-of-one-service'.padEnd(64, '.');

/** A slot of the service, in which one process after another runs. */
interface Instance {
  process: ServingProcess;
  /** The name of its sessions in the database. */
  sessions: string;
  /** Whether it accepts calls: it was not killed, stopped or frozen. */
  isAlive: boolean;
  /** When it was thawed last, by `performance.now()`; 0 if it never was. */
  thawedAt: number;
}

/** How instances differ from each other. */
interface Differences {
  /** Settings of each instance, besides the common ones. */
  settings?: readonly Settings[];
  /** How wrong the clock of each instance is, in milliseconds. */
  clocksAheadMs?: readonly number[];
  /** Sources of modules that every instance runs before the program. */
  preload?: readonly string[];
}

/**
 * Several instances of the program on one PostgreSQL database and one folder of content, each with a data folder of its
 * own, as on several machines. Any of them may be killed and started again under the clients.
 */
export class Instances implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #settings: Settings & { database_url: string };
  readonly #slots: Instance[] = [];
  readonly #folders: string[];
  readonly #differences: Differences;
  #token = '';
  #calls = 0;
  #isOver = false;
  /** How often one of them was killed, stopped or frozen. */
  deaths = 0;
  /** When an instance was frozen or thawed last, by `performance.now()`. */
  #thawedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    stack: AsyncDisposableStack,
    settings: Settings & { database_url: string },
    folders: string[],
    differences: Differences,
  ) {
    this.#stack = stack;
    this.#settings = settings;
    this.#folders = folders;
    this.#differences = differences;
  }

  /** @param signal of the test: once the test ends, by its timeout or otherwise, everything here stops. */
  static async start(
    { signal }: { signal: AbortSignal },
    count: number,
    settings: Settings = {},
    differences: Differences = {},
  ): Promise<Instances> {
    await using stack = new AsyncDisposableStack();
    const shared = stack.use(temporaryFolder()).path;
    const content = path.join(shared, 'content');
    mkdirSync(content);
    const url = await databaseUrlOf(shared);
    assert.ok(url !== null, 'runs on PostgreSQL only');
    const folders = Array.from({ length: count }, () => stack.use(temporaryFolder()).path);
    const instances = new Instances(
      stack.move(),
      { ...settings, database_url: url, content_store: content, webhooks_auth_secret: SECRET },
      folders,
      differences,
    );
    signal.addEventListener('abort', () => void instances[Symbol.asyncDispose]());
    try {
      for (let n = 0; n < count; n++) instances.#slots.push(await instances.#run(n));
      const { clientId, clientSecret } = await createClient(shared);
      instances.#token = await requestToken(instances.urlOf(0), clientId, clientSecret);
      return instances;
    } catch (error) {
      await instances[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where an instance listens now. */
  urlOf(n: number): string {
    return this.processOf(n).url;
  }

  processOf(n: number): ServingProcess {
    return this.#slots[n]!.process;
  }

  /** The API of an instance, with a token that the first one issued. */
  apiOf(n: number): Api {
    return new Api(this.urlOf(n), this.#token);
  }

  /** Kills an instance and resolves once it has ended. */
  async kill(n: number): Promise<void> {
    const slot = this.#slots[n]!;
    slot.isAlive = false;
    await slot.process.end('SIGKILL');
    this.deaths += 1;
  }

  /** Stops an instance as an upgrade does, and resolves once it has ended. */
  async stop(n: number): Promise<void> {
    const slot = this.#slots[n]!;
    slot.isAlive = false;
    await slot.process.end('SIGTERM');
    this.deaths += 1;
  }

  /** Starts an instance that was killed or stopped. `settings` are for this instance, besides the common ones. */
  async startAgain(n: number, settings?: Settings): Promise<void> {
    this.#slots[n] = await this.#run(n, settings);
  }

  /** Freezes an instance: it does nothing, and its connections stay open. */
  freeze(n: number): void {
    const slot = this.#slots[n]!;
    slot.isAlive = false;
    this.deaths += 1;
    this.#thawedAt = Number.POSITIVE_INFINITY;
    process.kill(slot.process.pid, 'SIGSTOP');
  }

  /** Lets a frozen instance continue. */
  thaw(n: number): void {
    const slot = this.#slots[n]!;
    process.kill(slot.process.pid, 'SIGCONT');
    slot.isAlive = true;
    slot.thawedAt = performance.now();
    this.#thawedAt = slot.thawedAt;
  }

  /** Calls the instances in turn; null if a kill or freeze interrupted the call, so that its result is unknown. */
  async call(method: string, pathAndQuery: string, body?: unknown): Promise<Answer | null> {
    const alive = this.#slots.filter(({ isAlive }) => isAlive);
    assert.ok(!this.#isOver && alive.length > 0, 'an instance is alive');
    this.#calls += 1;
    const slot = alive[this.#calls % alive.length]!;
    const startedAt = performance.now();
    try {
      const answer = await new Api(slot.process.url, this.#token).call(method, pathAndQuery, body);
      // A frozen instance has lost its connections to the database, or has not read the request in time, and others
      // have waited for its locks.
      const isRefused = REFUSALS.has(answer.status) && this.#thawedAt > startedAt - FROST_MS;
      return isRefused ? null : answer;
    } catch (error) {
      // An instance that was frozen closes connections whose requests it has not read in time.
      const wasFrozen = slot.thawedAt > startedAt;
      assert.ok(!slot.isAlive || wasFrozen, `cut off without a kill: ${error}`);
      if (!wasFrozen) await this.#untilEnded(slot);
      return null;
    }
  }

  /** Reads, and repeats the call after kills. */
  async read(pathAndQuery: string): Promise<Answer> {
    while (true) {
      const answer = await this.call('GET', pathAndQuery);
      if (answer !== null) return answer;
    }
  }

  /** Reads a whole list, page by page. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  async readAll(list: string): Promise<any[]> {
    return await readWhole((page) => this.read(page), `${list}?limit=200`);
  }

  /** Runs a statement in the database while the instances are running. */
  async runSql(sql: string): Promise<void> {
    await using database = this.#openDatabase();
    await database.transaction((tx) => tx.run(sql));
  }

  #openDatabase(): PostgresDatabase {
    return new PostgresDatabase(this.#settings.database_url, { connections: 3 });
  }

  /** Ends every lease, as if enough time had passed. */
  async endLeases(): Promise<void> {
    await this.runSql('update queue_lines set available_at = 0 where lease_token is not null');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#slots.map(({ process }) => process[Symbol.asyncDispose]()));
    await this.#stack.disposeAsync();
  }

  /** Waits until a process has ended and the database has finished its last statements, which may be a commit. */
  async #untilEnded({ process, sessions }: Instance): Promise<void> {
    await process.ended;
    await using database = this.#openDatabase();
    const left = 'select count(*) as sessions from pg_stat_activity where application_name = ?';
    await until(
      async () => (await database.reader.all<{ sessions: number }>(left, sessions))[0]!.sessions === 0,
      'the sessions of an ended process are gone',
    );
  }

  async #run(n: number, settings: Settings = this.#differences.settings?.[n] ?? {}): Promise<Instance> {
    const sessions = `instance-${n}-${randomUUID()}`;
    const url = new URL(this.#settings.database_url);
    url.searchParams.set('application_name', sessions);
    const started = await startProcess(
      { ...this.#settings, database_url: url.href, ...settings, data_dir: this.#folders[n]! },
      {
        clockAheadMs: this.#differences.clocksAheadMs?.[n] ?? 0,
        preload: this.#differences.preload ?? [],
      },
    );
    if (!this.#isOver) return { process: started, sessions, isAlive: true, thawedAt: 0 };
    await started[Symbol.asyncDispose]();
    throw new Error('started after the end of its test');
  }
}
