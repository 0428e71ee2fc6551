import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { ContentAddress } from '../content-origin/content-address.ts';
import type { ContentTokens } from './content-tokens.ts';
import type { PlayerLaunch } from './launch.ts';
import { insertLaunch, readLaunch } from './launch-store.ts';

/** What a launch is of. */
export type LaunchSubject = Pick<
  PlayerLaunch,
  'registrationId' | 'courseId' | 'versionId' | 'learnerId' | 'mode' | 'returnUrl'
>;

/** What a token of the content origin opens, or why it opens nothing. */
export type FoundLaunch =
  | { state: 'open'; launch: PlayerLaunch }
  | { state: 'invalid' | 'expired' | 'deleted' };

/** How long a launch is answered from memory: a course of 200 files asks 200 times. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_LAUNCHES = 10_000;

/** Launches: what learners have opened, and until when they may play it. */
export class LaunchService {
  readonly #database: Database;
  readonly #tokens: ContentTokens;
  readonly #address: ContentAddress;
  readonly #lifetimeMs: number;
  readonly #now: () => number;
  readonly #remembered = new Map<string, { launch: PlayerLaunch; until: number }>();

  constructor({
    database,
    tokens,
    address,
    lifetimeMs,
    now,
  }: {
    database: Database;
    tokens: ContentTokens;
    address: ContentAddress;
    /** How long a launch lasts. */
    lifetimeMs: number;
    now: () => number;
  }) {
    this.#database = database;
    this.#tokens = tokens;
    this.#address = address;
    this.#lifetimeMs = lifetimeMs;
    this.#now = now;
  }

  /** Begins a launch and answers the address of its player page. Nothing else changes before that page is open. */
  async start(subject: LaunchSubject): Promise<string> {
    return (await this.startUntil(subject)).url;
  }

  /** The same, answering as well until when the launch may be played: epoch milliseconds. */
  async startUntil(subject: LaunchSubject): Promise<{ url: string; expiresAt: number }> {
    const launchId = randomUUID();
    const now = this.#now();
    const expiresAt = now + this.#lifetimeMs;
    await this.#database.transaction((tx) => insertLaunch(tx, { ...subject, launchId, expiresAt }, now));
    return { url: `${this.baseOf({ ...subject, launchId, expiresAt })}/player/`, expiresAt };
  }

  /** What every address of a launch begins with, without a slash at its end. */
  baseOf(launch: Pick<PlayerLaunch, 'launchId' | 'registrationId' | 'expiresAt'>): string {
    return this.#address.urlOf(launch, this.#tokens.issue(launch));
  }

  /**
   * What a token opens.
   * @param host the request's, as it names it: where registrations have host names of their own, no other opens a launch
   */
  async find(token: string, host: string): Promise<FoundLaunch> {
    const claim = this.#tokens.read(token);
    if (claim === null) return { state: 'invalid' };
    if (claim.expiresAt <= this.#now()) return { state: 'expired' };
    const launch = await this.#read(claim.launchId);
    if (launch === undefined) return { state: 'deleted' };
    return this.#address.belongsTo(host, launch) ? { state: 'open', launch } : { state: 'invalid' };
  }

  async #read(launchId: string): Promise<PlayerLaunch | undefined> {
    const now = this.#now();
    const remembered = this.#remembered.get(launchId);
    if (remembered !== undefined && remembered.until > now) return remembered.launch;
    this.#remembered.delete(launchId);
    const launch = await readLaunch(this.#database.reader, launchId);
    if (launch === undefined) return undefined;
    this.#forget(now);
    this.#remembered.set(launchId, { launch, until: now + REMEMBERED_MS });
    return launch;
  }

  /** Makes room: the oldest are the first ones, and those that are over only take memory. */
  #forget(now: number): void {
    for (const [launchId, { until }] of this.#remembered) {
      if (until > now && this.#remembered.size < REMEMBERED_LAUNCHES) return;
      this.#remembered.delete(launchId);
    }
  }
}
