import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { databaseUrlOf } from '../support/postgres.ts';
import { type ServingProcess, startProcess } from '../support/process.ts';
import { type Answer, Api, createClient, requestToken, temporaryFolder } from '../support/service.ts';

type Settings = Partial<Parameters<typeof startProcess>[0]>;

const SECRET = 'instances-of-one-service'.padEnd(64, '.');

/** A slot of the service, in which one process after another runs. */
interface Instance {
  process: ServingProcess;
  isAlive: boolean;
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
  #token = '';
  #calls = 0;
  #isOver = false;
  /** How often one of them was killed. */
  deaths = 0;

  private constructor(
    stack: AsyncDisposableStack,
    settings: Settings & { database_url: string },
    folders: string[],
  ) {
    this.#stack = stack;
    this.#settings = settings;
    this.#folders = folders;
  }

  /** @param signal of the test: once it is over, by its time or otherwise, nothing of this goes on. */
  static async start(
    { signal }: { signal: AbortSignal },
    count: number,
    settings: Settings = {},
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
    );
    signal.addEventListener('abort', () => void instances[Symbol.asyncDispose]());
    try {
      for (let n = 0; n < count; n++)
        instances.#slots.push({ process: await instances.#run(n), isAlive: true });
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

  /** The API of an instance, with a token that the first one granted. */
  apiOf(n: number): Api {
    return new Api(this.urlOf(n), this.#token);
  }

  /** Kills an instance and answers once it is gone. */
  async kill(n: number): Promise<void> {
    const slot = this.#slots[n]!;
    slot.isAlive = false;
    await slot.process.end('SIGKILL');
    this.deaths += 1;
  }

  /** Starts an instance that was killed. */
  async startAgain(n: number): Promise<void> {
    this.#slots[n] = { process: await this.#run(n), isAlive: true };
  }

  /** Calls the instances in turn; null when a kill cut the call off, so that nobody knows whether it happened. */
  async call(method: string, pathAndQuery: string, body?: unknown): Promise<Answer | null> {
    const alive = this.#slots.filter(({ isAlive }) => isAlive);
    assert.ok(!this.#isOver && alive.length > 0, 'an instance is alive');
    this.#calls += 1;
    const slot = alive[this.#calls % alive.length]!;
    try {
      return await new Api(slot.process.url, this.#token).call(method, pathAndQuery, body);
    } catch (error) {
      assert.ok(!slot.isAlive, `cut off without a kill: ${error}`);
      return null;
    }
  }

  /** Reads, as often as kills make it necessary. */
  async read(pathAndQuery: string): Promise<Answer> {
    while (true) {
      const answer = await this.call('GET', pathAndQuery);
      if (answer !== null) return answer;
    }
  }

  /** All of a list, over its pages. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  async readAll(list: string): Promise<any[]> {
    const records = [];
    let cursor: string | null = null;
    do {
      const { status, body } = await this.read(
        `${list}?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      assert.equal(status, 200);
      records.push(...body.data);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return records;
  }

  /** Runs a statement in the database, beside the instances. */
  async runSql(sql: string): Promise<void> {
    await using database = new PostgresDatabase(this.#settings.database_url, { connections: 3 });
    await database.transaction((tx) => tx.run(sql));
  }

  /** Lets so much time pass, so to say, that every lease has ended. */
  async endLeases(): Promise<void> {
    await this.runSql('update queue_lines set available_at = 0 where lease_token is not null');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#slots.map(({ process }) => process[Symbol.asyncDispose]()));
    await this.#stack.disposeAsync();
  }

  async #run(n: number): Promise<ServingProcess> {
    const started = await startProcess({ ...this.#settings, data_dir: this.#folders[n]! });
    if (!this.#isOver) return started;
    await started[Symbol.asyncDispose]();
    throw new Error('started after the end of its test');
  }
}
