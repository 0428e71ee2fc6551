import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import type { ContentAddress } from './content-address.ts';
import type { ContentTokens } from './content-tokens.ts';
import type { PlayerLaunch } from './launch.ts';
import { insertLaunch, lockExistingRegistration, readLaunch } from './launch-store.ts';

/** What a launch opens, and for whom. */
export type LaunchSubject = Pick<
  PlayerLaunch,
  'registrationId' | 'courseId' | 'versionId' | 'language' | 'learnerId' | 'mode' | 'returnUrl'
>;

/** The launch that a token opens, or the reason why it opens none. */
export type FoundLaunch =
  | { state: 'open'; launch: PlayerLaunch }
  | { state: 'invalid' | 'expired' | 'deleted' };

/** How long a launch is cached. A course of 200 files makes 200 requests. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_LAUNCHES = 10_000;

/** Starts and finds launches. A launch lets a learner play a course until it expires. */
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

  /**
   * Starts a launch of a registration and returns the URL of its player page. Nothing else changes until that page is
   * opened. Returns null if the registration was deleted.
   */
  async start(subject: LaunchSubject & { registrationId: string }): Promise<string | null> {
    return await this.#database.transaction(async (tx) => {
      if (!(await lockExistingRegistration(tx, subject.registrationId))) return null;
      return (await this.#insert(tx, subject)).url;
    });
  }

  /** Starts a preview. Returns the URL of its player page, and when it expires, in epoch milliseconds. */
  async startPreview(
    subject: LaunchSubject & { registrationId: null },
  ): Promise<{ url: string; expiresAt: number }> {
    return await this.#database.transaction((tx) => this.#insert(tx, subject));
  }

  async #insert(tx: Transaction, subject: LaunchSubject): Promise<{ url: string; expiresAt: number }> {
    const launchId = randomUUID();
    const now = this.#now();
    const expiresAt = now + this.#lifetimeMs;
    await insertLaunch(tx, { ...subject, launchId, expiresAt }, now);
    return { url: `${this.baseOf({ ...subject, launchId, expiresAt })}/player/`, expiresAt };
  }

  /** The start of every URL of a launch, without a trailing slash. */
  baseOf(launch: Pick<PlayerLaunch, 'launchId' | 'registrationId' | 'expiresAt'>): string {
    return this.#address.urlOf(launch, this.#tokens.issue(launch));
  }

  /**
   * Finds the launch that a token opens.
   * @param host the Host header field of the request. If registrations have their own host names, a launch opens on no
   *   other
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

  /** Makes room. The oldest entries come first, and expired entries only use memory. */
  #forget(now: number): void {
    for (const [launchId, { until }] of this.#remembered) {
      if (until > now && this.#remembered.size < REMEMBERED_LAUNCHES) return;
      this.#remembered.delete(launchId);
    }
  }
}
