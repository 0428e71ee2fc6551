import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import { DAY_MS } from '../../time/units.ts';
import type { ContentAddress } from './content-address.ts';
import type { ContentTokens } from './content-tokens.ts';
import type { LaunchSubject, PlayerLaunch } from './launch.ts';
import {
  countLaunches,
  deleteExpiredLaunches,
  insertLaunch,
  lockExistingRegistration,
  readLastLaunch,
  readLaunch,
} from './launch-store.ts';

/** The launch that a token opens, or the reason why it opens none. */
export type FoundLaunch =
  | { state: 'open'; launch: PlayerLaunch }
  | { state: 'invalid' | 'expired' | 'deleted' };

/** How long a launch is cached. A course of 200 files makes 200 requests. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_LAUNCHES = 10_000;
/** How long an expired launch is kept. */
const KEPT_AFTER_EXPIRY_MS = DAY_MS;
/**
 * How many launches of a registration are stored before its links share launches. Learners have far fewer, and a link that
 * is opened without pause must not fill the database.
 */
const MAX_OWN_LAUNCHES = 100;
/** The part of a launch's lifetime that is left when it is shared. */
const SHARED_LIFETIME = 0.9;

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
   * opened. If the registration has many launches, it may be the URL of a launch that was started shortly before. Its
   * page then opens as if it were reloaded. Returns null if the registration was deleted.
   */
  async start(subject: LaunchSubject & { registrationId: string }): Promise<string | null> {
    const shared = await this.#readShared(subject);
    if (shared !== undefined) return this.#pageOf({ ...subject, ...shared });
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

  /** The launch to share; undefined if another one may be stored. */
  async #readShared(
    subject: LaunchSubject & { registrationId: string },
  ): Promise<{ launchId: string; expiresAt: number } | undefined> {
    const { reader } = this.#database;
    const count = await countLaunches(reader, subject.registrationId, MAX_OWN_LAUNCHES);
    if (count < MAX_OWN_LAUNCHES) return undefined;
    return await readLastLaunch(reader, subject, this.#now() + SHARED_LIFETIME * this.#lifetimeMs);
  }

  async #insert(tx: Transaction, subject: LaunchSubject): Promise<{ url: string; expiresAt: number }> {
    const launchId = randomUUID();
    const now = this.#now();
    const expiresAt = now + this.#lifetimeMs;
    await insertLaunch(tx, { ...subject, launchId, expiresAt }, now);
    return { url: this.#pageOf({ ...subject, launchId, expiresAt }), expiresAt };
  }

  #pageOf(launch: Pick<PlayerLaunch, 'launchId' | 'registrationId' | 'expiresAt'>): string {
    return `${this.baseOf(launch)}/player/`;
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

  /** Deletes at most `limit` launches that expired long ago. Returns the number deleted. */
  async forgetExpired(limit: number): Promise<number> {
    const before = this.#now() - KEPT_AFTER_EXPIRY_MS;
    return await this.#database.transaction((tx) => deleteExpiredLaunches(tx, before, limit));
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
