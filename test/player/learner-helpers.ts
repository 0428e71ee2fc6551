import assert from 'node:assert/strict';
import { launch } from '../content/registration-helpers.ts';
import type { RunningService } from '../support/service.ts';
import { LrsClient } from './lrs-helpers.ts';

/** A launch, used through the content origin like the player page does. */
export class Player {
  /** The beginning of every address of the launch. */
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  /** Follows a launch link and opens the page, which takes over from every other one. */
  static async open(service: RunningService, registrationId: string): Promise<Player> {
    return await Player.follow(await launch(service, registrationId));
  }

  /** The same for a given link. */
  static async follow(link: string): Promise<Player> {
    const response = await fetch(link, { redirect: 'manual' });
    const location = response.headers.get('location');
    assert.ok(location !== null, `${response.status} ${await response.text()}`);
    const player = new Player(location.replace(/\/player\/$/, ''));
    await player.post('/open');
    return player;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  async post(path: string, body?: object): Promise<any> {
    const response = await fetch(`${this.base}${path}`, {
      method: 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  /** Opens a unit and returns its address. */
  async openUnit(unit: string): Promise<URL> {
    const { address } = await this.post('/unit', { unit });
    return new URL(address);
  }
}

/** Launches a registration, opens a unit of its course and returns the address of the unit. */
export async function launchUnit(
  service: RunningService,
  registrationId: string,
  unit: string,
): Promise<URL> {
  return await (await Player.open(service, registrationId)).openUnit(unit);
}

/** The store as an xAPI course that was opened at an address reaches it, and what else the address says. */
export function xapiCourse(address: URL) {
  const given = (name: string) => {
    const value = address.searchParams.get(name);
    assert.ok(value !== null, `${name} is in ${address}`);
    return value;
  };
  return {
    lrs: new LrsClient(given('endpoint'), given('auth')),
    actor: JSON.parse(given('actor')),
    registration: given('registration'),
    activity: { id: given('activity_id') },
  };
}

/** A registration's results. */
export async function resultOf(service: RunningService, registrationId: string) {
  const { completion, success, score, duration } = (await service.api.get(`/registrations/${registrationId}`))
    .body;
  return { completion, success, score, duration };
}
