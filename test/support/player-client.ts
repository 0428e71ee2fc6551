import assert from 'node:assert/strict';
import { launch } from '../content/registration-helpers.ts';
import type { PackageFiles } from './course-packages.ts';
import { registerTo } from './registered-course.ts';
import type { RunningService } from './service.ts';

/** A response of the content origin. */
export interface PlayerAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

/** Plays a course through the player's HTTP interface, as its page does. */
export class PlayerClient {
  /** The prefix of every URL of the launch. */
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;
  #page = 0;
  #continues: number | null = null;
  #visit = 0;
  #sequence = 0;

  /** @param headers of each request */
  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.base = base;
    this.#headers = headers;
  }

  /** @param headers of this request, in addition to those of every request */
  async post(
    path: string,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PlayerAnswer> {
    const response = await fetch(`${this.base}/${path}`, {
      method: 'POST',
      headers: { ...this.#headers, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Loads the player's page again in the same tab. */
  reloaded(): PlayerClient {
    const next = new PlayerClient(this.base, this.#headers);
    next.#continues = this.#page;
    return next;
  }

  /** Opens the player's page; returns its initial data. */
  // biome-ignore lint/suspicious/noExplicitAny: see PlayerAnswer.
  async open(): Promise<any> {
    const continued = this.#continues === null ? {} : { continues: this.#continues };
    const { status, body } = await this.post('open', continued);
    assert.equal(status, 200, JSON.stringify(body));
    this.#page = body.page;
    return body;
  }

  /** Opens a unit; returns its initial state. */
  // biome-ignore lint/suspicious/noExplicitAny: see PlayerAnswer.
  async openUnit(unit: string): Promise<any> {
    const { status, body } = await this.askForUnit(unit);
    assert.equal(status, 200, JSON.stringify(body));
    this.#visit += 1;
    return body;
  }

  /** Requests a unit; returns the response, which may be a refusal. */
  async askForUnit(unit: string): Promise<PlayerAnswer> {
    return await this.post('unit', { unit, page: this.#page });
  }

  /** The body of a commit of a unit's data model. */
  commitOf(unit: string, cmi: object, further: object = {}): Record<string, unknown> {
    this.#sequence += 1;
    return {
      unit,
      page: this.#page,
      visit: this.#visit,
      sequence: this.#sequence,
      elapsedMs: 1_000,
      terminated: false,
      cmi,
      ...further,
    };
  }

  /** Commits a unit's data model; returns the outcome. */
  async commit(unit: string, cmi: object, further: object = {}): Promise<PlayerAnswer> {
    return await this.post('commit', this.commitOf(unit, cmi, further));
  }
}

/** Launches a registration and opens the link, but not the player's page. */
export async function startLaunch(service: RunningService, registrationId: string): Promise<PlayerClient> {
  return await followLink(await launch(service, registrationId));
}

/** Opens a launch link. */
export async function followLink(url: string): Promise<PlayerClient> {
  const response = await fetch(url, { redirect: 'manual' });
  await response.arrayBuffer();
  const location = response.headers.get('location') ?? '';
  assert.match(location, /\/player\/$/, `${response.status} ${location}`);
  return new PlayerClient(location.replace(/\/player\/$/, ''));
}

/** Registers a learner for a new course, launches it and opens a unit. */
export async function startUnit(
  service: RunningService,
  files: PackageFiles,
  unit: string,
): Promise<{ registrationId: string; client: PlayerClient }> {
  const { registrationId } = await registerTo(service, files);
  const client = await startLaunch(service, registrationId);
  await client.open();
  await client.openUnit(unit);
  return { registrationId, client };
}
