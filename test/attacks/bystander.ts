import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, createClient, requestToken } from '../support/service.ts';
import type { WatchedService } from '../support/watched-service.ts';

/** The pause between two rounds of calls. A shorter one costs more than the attacks themselves. */
const PAUSE_MS = 50;

/** A client that uses the service as usual while others attack it. */
export class Bystander implements AsyncDisposable {
  readonly #api: Api;
  readonly #accountId: number;
  readonly #stopped = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #answers: string[] = [];

  /** Signs in and creates its account. It makes no calls before {@link start}. */
  static async create(service: WatchedService): Promise<Bystander> {
    const { clientId, clientSecret } = await createClient(service.settings.data_dir);
    const api = new Api(service.url, await requestToken(service.url, clientId, clientSecret));
    const { id } = await api.create('/accounts', { name: 'Bystander' });
    return new Bystander(api, id);
  }

  private constructor(api: Api, accountId: number) {
    this.#api = api;
    this.#accountId = accountId;
  }

  /** Begins to call the service, until it is disposed of. */
  start(): void {
    this.#work = this.#callOnAndOn();
  }

  /** Fails if any response since the last time was not a success, or if there was no response. */
  async assertServed(): Promise<void> {
    const before = this.#answers.length;
    while (this.#answers.length === before && !this.#stopped.signal.aborted) await pause(PAUSE_MS);
    const answers = this.#answers;
    this.#answers = [];
    assert.deepEqual(
      answers.filter((answer) => !answer.startsWith('200 ')),
      [],
      'others are served as usual',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#work;
  }

  async #callOnAndOn(): Promise<void> {
    for (let round = 0; !this.#stopped.signal.aborted; round++) {
      await this.#note('GET /health/live', () => this.#api.get('/health/live'));
      await this.#note('GET /accounts', () => this.#api.get('/accounts?limit=1'));
      const body = { name: `Bystander ${round}` };
      await this.#note('PUT /accounts', () => this.#api.put(`/accounts/${this.#accountId}`, body));
      await pause(PAUSE_MS);
    }
  }

  async #note(name: string, call: () => Promise<{ status: number; body: unknown }>): Promise<void> {
    try {
      const { status, body } = await call();
      this.#answers.push(`${status} ${name}${status === 200 ? '' : `: ${JSON.stringify(body)}`}`);
    } catch (error) {
      this.#answers.push(`${name}: ${String(error)}`);
    }
  }
}
