import { Agent, type Dispatcher } from 'undici';

/** A launch, as the player page uses it. */
export interface OpenLaunch {
  /** The prefix of every address of the launch, without a slash at the end. */
  base: string;
  page: number;
  /** The sequence number of the latest commit. */
  sequence: number;
}

/** The unit of the course that {@link PlayerClient} plays. */
export const UNIT = 'unit';

/** Plays courses over persistent connections, as the browsers of many learners do. */
export class PlayerClient implements AsyncDisposable {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ connections });
  }

  /** Follows a launch link and opens the player's page and the unit. */
  async open(link: string): Promise<OpenLaunch> {
    const { headers, statusCode, body } = await this.#send('GET', link);
    await body.dump();
    const base = String(headers.location).replace(/\/player\/$/, '');
    if (statusCode !== 303) throw new Error(`${link}: ${statusCode}`);
    const { page } = (await this.#post(`${base}/open`, {})) as { page: number };
    await this.#post(`${base}/unit`, { unit: UNIT });
    return { base, page, sequence: 0 };
  }

  /** Saves a learner's progress. Each commit changes the data, and the first one also changes the status. */
  async commit(launch: OpenLaunch): Promise<void> {
    launch.sequence += 1;
    const { page, sequence } = launch;
    const answer = (await this.#post(`${launch.base}/commit`, {
      unit: UNIT,
      page,
      visit: 1,
      sequence,
      elapsedMs: sequence * 1_000,
      terminated: false,
      cmi: {
        suspend_data: `page=${sequence};answers=${'abcd'.repeat(100)}`,
        core: {
          lesson_location: `page-${sequence}`,
          lesson_status: 'incomplete',
          score: { raw: '50', min: '0', max: '100' },
          exit: 'suspend',
        },
      },
    })) as { outcome: string };
    if (answer.outcome !== 'recorded') throw new Error(`a commit was ${answer.outcome}`);
  }

  /** Reads a file to its end. */
  async file(address: string): Promise<void> {
    const { statusCode, body } = await this.#send('GET', address);
    await body.dump();
    if (statusCode !== 200) throw new Error(`${address}: ${statusCode}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #post(address: string, value: unknown): Promise<unknown> {
    const { statusCode, body } = await this.#send('POST', address, JSON.stringify(value));
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${address}: ${statusCode} ${text}`);
    return JSON.parse(text);
  }

  #send(method: 'GET' | 'POST', address: string, body?: string): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = new URL(address);
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    return this.#agent.request({
      origin,
      path: pathname + search,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  }
}
