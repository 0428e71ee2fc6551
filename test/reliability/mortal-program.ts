import assert from 'node:assert/strict';
import { readWhole } from '../support/each-page.ts';
import { type Answer, Api, createClient, requestToken } from '../support/service.ts';
import { type ServingProcess, startProcess } from '../support/service-process.ts';
import { endDeadLeases } from './dead-leases.ts';

type Settings = Parameters<typeof startProcess>[0];
type StartOptions = NonNullable<Parameters<typeof startProcess>[1]>;

/** The program on one data folder, in successive processes: it is killed and restarted while clients call it. */
export class MortalProgram implements AsyncDisposable {
  readonly #settings: Settings;
  readonly #options: StartOptions;
  #process: ServingProcess;
  readonly #token: string;
  #up: Promise<void> = Promise.resolve();
  /** How often it was killed. */
  deaths = 0;
  /** The number of the process, from 0: requests that arrive before the next one starts are from this one. */
  life = 0;

  private constructor(
    settings: Settings,
    { options, first, token }: { options: StartOptions; first: ServingProcess; token: string },
  ) {
    this.#settings = settings;
    this.#options = options;
    this.#process = first;
    this.#token = token;
  }

  /** Starts the first process. @param options how each process is started */
  static async start(settings: Settings, options: StartOptions = {}): Promise<MortalProgram> {
    const first = await startProcess(settings, options);
    const { clientId, clientSecret } = await createClient(settings.data_dir);
    const token = await requestToken(first.url, clientId, clientSecret);
    return new MortalProgram(settings, { options, first, token });
  }

  get process(): ServingProcess {
    return this.#process;
  }

  get api(): Api {
    return new Api(this.#process.url, this.#token);
  }

  /**
   * Kills the process, waits until `afterDeath` resolves, and starts the next one in the same folder.
   * @param options.beforeDeath runs while the process is frozen, so that changes of its environment cannot affect it
   * @param options.keepsLeases leaves the leases of the dead process to expire by themselves
   */
  async killAndRestart({
    beforeDeath,
    afterDeath,
    keepsLeases = false,
  }: {
    beforeDeath?: () => Promise<unknown>;
    afterDeath?: () => Promise<unknown>;
    keepsLeases?: boolean;
  } = {}): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#up = promise;
    this.deaths += 1;
    try {
      if (beforeDeath !== undefined) {
        process.kill(this.#process.pid, 'SIGSTOP');
        await beforeDeath();
      }
      await this.#process.end('SIGKILL');
      await afterDeath?.();
      if (!keepsLeases) await endDeadLeases(this.#settings.data_dir);
      this.life += 1;
      this.#process = await startProcess(this.#settings, this.#options);
    } finally {
      // Even if it does not start, so that waiting calls fail and do not wait forever.
      resolve();
    }
  }

  /** Calls the API once it is available; null if a kill interrupted the call, so that its result is unknown. */
  async call(method: string, path: string, body?: unknown): Promise<Answer | null> {
    await this.#up;
    const { deaths } = this;
    try {
      return await this.api.call(method, path, body);
    } catch (error) {
      assert.notEqual(this.deaths, deaths, `cut off without a kill: ${error}`);
      return null;
    }
  }

  /** Reads, and repeats the call after kills. */
  async read(path: string): Promise<Answer> {
    while (true) {
      const answer = await this.call('GET', path);
      if (answer !== null) return answer;
    }
  }

  /** Reads a whole list, page by page. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  async readAll(path: string): Promise<any[]> {
    return await readWhole((page) => this.read(page), `${path}?limit=200`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
