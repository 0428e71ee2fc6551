import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LrsClient } from './lrs-helpers.ts';

const CATEGORY = 'https://w3id.org/xapi/cmi5/context/categories';
export const SESSION_ID = 'https://w3id.org/xapi/cmi5/context/extensions/sessionid';
export const MASTERY_SCORE = 'https://w3id.org/xapi/cmi5/context/extensions/masteryscore';
const ADL = 'http://adlnet.gov/expapi/verbs';

/** A cmi5 unit that was opened at an address. It does what the unit's page would do. */
export class Unit {
  readonly lrs: LrsClient;
  readonly actor: { account: { homePage: string; name: string } };
  readonly registration: string;
  readonly activityId: string;
  // biome-ignore lint/suspicious/noExplicitAny: as the service sends it.
  readonly launchData: any;

  private constructor(address: URL, lrs: LrsClient, launchData: object) {
    this.lrs = lrs;
    this.launchData = launchData;
    this.actor = JSON.parse(address.searchParams.get('actor')!);
    this.registration = address.searchParams.get('registration')!;
    this.activityId = address.searchParams.get('activityId')!;
  }

  /** Fetches the credential, and reads the launch data and a profile of the learner. */
  static async start(address: URL, { profileId = 'cmi5LearnerPreferences' } = {}): Promise<Unit> {
    const answer = await fetch(address.searchParams.get('fetch')!, { method: 'POST' });
    const { 'auth-token': token } = (await answer.json()) as { 'auth-token': string };
    assert.ok(token, 'there is a token');
    const lrs = new LrsClient(address.searchParams.get('endpoint')!, `Basic ${token}`);
    const { json, status } = await lrs.call('GET', 'activities/state', {
      query: {
        activityId: address.searchParams.get('activityId')!,
        agent: address.searchParams.get('actor')!,
        registration: address.searchParams.get('registration')!,
        stateId: 'LMS.LaunchData',
      },
    });
    assert.equal(status, 200);
    const unit = new Unit(address, lrs, json);
    await unit.readProfile(profileId);
    return unit;
  }

  /** Reads a profile of the learner, which may not exist. */
  async readProfile(profileId: string): Promise<void> {
    const query = { agent: JSON.stringify(this.actor), profileId };
    const { status } = await this.lrs.call('GET', 'agents/profile', { query });
    assert.ok([200, 404].includes(status));
  }

  get sessionId(): string {
    return this.launchData.contextTemplate.extensions[SESSION_ID];
  }

  /** A statement that cmi5 defines. */
  statement(verb: string, result?: object, categories: string[] = []): Record<string, unknown> {
    const { contextActivities, extensions } = this.launchData.contextTemplate;
    return {
      id: randomUUID(),
      actor: this.actor,
      verb: { id: `${ADL}/${verb}` },
      object: { id: this.activityId },
      context: {
        registration: this.registration,
        contextActivities: {
          ...contextActivities,
          category: ['cmi5', ...categories].map((name) => ({ id: `${CATEGORY}/${name}` })),
        },
        extensions: {
          ...extensions,
          ...(this.launchData.masteryScore === undefined
            ? {}
            : { [MASTERY_SCORE]: this.launchData.masteryScore }),
        },
      },
      timestamp: new Date().toISOString(),
      ...(result === undefined ? {} : { result }),
    };
  }

  initialized = () => this.statement('initialized');
  terminated = (duration = 'PT1M') => this.statement('terminated', { duration });
  completed = () => this.statement('completed', { completion: true, duration: 'PT30S' }, ['moveon']);
  passed = (scaled?: number) =>
    this.statement(
      'passed',
      { success: true, duration: 'PT30S', ...(scaled === undefined ? {} : { score: { scaled } }) },
      ['moveon'],
    );
  failed = (scaled: number) =>
    this.statement('failed', { success: false, duration: 'PT30S', score: { scaled } }, ['moveon']);

  /** Sends statements one after the other and returns their statuses. */
  async send(...statements: object[]): Promise<number[]> {
    const statuses: number[] = [];
    for (const body of statements)
      statuses.push((await this.lrs.call('POST', 'statements', { body })).status);
    return statuses;
  }
}
