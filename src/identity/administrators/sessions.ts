import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, DatabaseUnavailableError, type Transaction } from '../../database/database.ts';
import { plainAddress } from '../../http/address-key.ts';
import type { Logger } from '../../observability/log.ts';
import { notFound } from '../../problems/problem.ts';
import { SET_BACK_MS } from '../../time/set-back.ts';
import { DAY_MS, MINUTE_MS } from '../../time/units.ts';
import { hashToken, isToken, newToken } from './random-token.ts';
import {
  type ActiveSessions,
  deleteExpiredSessions,
  deleteSession,
  deleteSessionOf,
  deleteSessionsOf,
  deleteSurplusSessionsOf,
  insertSession,
  noteSessionSeen,
  selectSessionHolder,
  selectSessions,
} from './session-store.ts';

/** Precision of "last seen": constant requests cost one write per period. */
const SEEN_NOTED_EVERY_MS = MINUTE_MS;
/** Maximum number of sessions. Beyond it, signing in ends the oldest one, and removes expired ones first. */
const MAX_SESSIONS_EACH = 50;
const MAX_USER_AGENT_CHARACTERS = 400;
/** How long an expired session is kept, because an upload that began before may still be under way. */
const KEPT_EXPIRED_MS = DAY_MS;

/** The client that uses a session, as the request describes it. */
export interface SessionUse {
  /** The address that the server sees. */
  address: string;
  userAgent: string | undefined;
}

/** The signed-in administrator of a request's session. */
export interface SignedIn {
  sessionId: number;
  administratorId: number;
  email: string;
  name: string | null;
  role: string;
}

/** How a session is verified. */
export interface SessionCheck {
  /** For requests that began before the session expired, at most a day ago. @defaultValue false */
  mayHaveExpired?: boolean;
  /** Whether nobody caused the request, so that it does not prolong the session. @defaultValue false */
  unattended?: boolean;
}

/** One of an administrator's sessions. Times are in epoch milliseconds. */
export interface SessionInfo {
  id: number;
  createdAt: number;
  /** To the minute. */
  lastSeenAt: number;
  userAgent: string;
  /** The address of its last use, or null if unknown. */
  address: string | null;
}

/** Dependencies of {@link Sessions}. */
export interface SessionsDependencies {
  database: Database;
  log: Logger;
  idleMs: number;
  lifetimeMs: number;
  now: () => number;
}

/**
 * Sessions of administrators. A session's token is 256 random bits, of which only a hash is stored. Everything about a
 * session is in the database, so that every instance knows it, and ending it takes effect everywhere immediately. A
 * session ends when it has not been used for the idle time, and in any case at the end of its lifetime. It also ends if the
 * clock is set back to more than a minute before its start or last use.
 */
export class Sessions {
  readonly #with: SessionsDependencies;

  constructor(dependencies: SessionsDependencies) {
    this.#with = dependencies;
  }

  /** Starts a session and returns its new token. */
  async begin(tx: Transaction, administratorId: number, { userAgent, address }: SessionUse): Promise<string> {
    const token = newToken();
    const now = this.#with.now();
    await insertSession(tx, {
      token_hash: hashToken(token),
      administrator_id: administratorId,
      user_agent: (userAgent ?? '').slice(0, MAX_USER_AGENT_CHARACTERS).toWellFormed(),
      address: plainAddress(address),
      created_at: now,
      last_seen_at: now,
    });
    await deleteSurplusSessionsOf(tx, administratorId, this.#activeAt(now), MAX_SESSIONS_EACH);
    return token;
  }

  /**
   * The current administrator of a token, or null if the token is invalid or its session has ended.
   * @param address the address that the server sees
   * @throws {DatabaseUnavailableError} when the session cannot be read.
   */
  async verify(
    token: string,
    address: string,
    { mayHaveExpired = false, unattended = false }: SessionCheck = {},
  ): Promise<SignedIn | null> {
    if (!isToken(token)) return null;
    const row = await selectSessionHolder(this.#with.database.reader, hashToken(token));
    if (row === undefined || !(mayHaveExpired || this.#isActive(row))) return null;
    if (!unattended && this.#isActive(row)) await this.#noteSeen(row, address);
    return {
      sessionId: row.session_id,
      administratorId: row.administrator_id,
      email: row.email,
      name: row.name,
      role: row.role,
    };
  }

  /** An administrator's sessions that have not ended, the latest first. */
  async list(administratorId: number): Promise<SessionInfo[]> {
    const rows = await selectSessions(this.#with.database.reader, administratorId);
    return rows
      .filter((row) => this.#isActive(row))
      .map((row) => ({
        id: row.id,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        userAgent: row.user_agent,
        address: row.address,
      }));
  }

  /** Ends the session of a token. */
  async end(token: string): Promise<void> {
    if (!isToken(token)) return;
    await this.#with.database.transaction((tx) => deleteSession(tx, hashToken(token)));
  }

  /** Ends the session that a sign-in replaces. An expired one is kept for the uploads that began before. */
  async endReplaced(tx: Transaction, token: string): Promise<void> {
    if (!isToken(token)) return;
    const hash = hashToken(token);
    const row = await selectSessionHolder(tx, hash);
    if (row !== undefined && this.#isActive(row)) await deleteSession(tx, hash);
  }

  /**
   * Ends one of an administrator's own sessions.
   * @param by the administrator, for the audit log
   * @throws {ProblemError} `not-found`, also for a session of someone else
   */
  async endOne(administratorId: number, sessionId: number, by: Actor): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const ended = await deleteSessionOf(tx, administratorId, sessionId);
      if (ended === 0) throw notFound('session', sessionId);
      await this.#record(tx, administratorId, by, ended);
    });
    this.#with.log.info('an administrator ended a session', { administrator_id: administratorId });
  }

  /** Ends every session of an administrator, in the transaction of another change. */
  async endAll(tx: Transaction, administratorId: number): Promise<void> {
    await deleteSessionsOf(tx, administratorId);
  }

  /**
   * Ends all of an administrator's own sessions.
   * @param by the administrator, for the audit log
   */
  async endEverywhere(administratorId: number, by: Actor): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const rows = await selectSessions(tx, administratorId);
      await deleteSessionsOf(tx, administratorId);
      await this.#record(tx, administratorId, by, rows.filter((row) => this.#isActive(row)).length);
    });
  }

  /**
   * Deletes sessions that expired a day ago, or that are from before the clock was set back: at most `limit`. Returns how many.
   */
  async forgetExpired(limit: number): Promise<number> {
    const now = this.#with.now();
    const recent = { ...this.#activeAt(now - KEPT_EXPIRED_MS), until: now + SET_BACK_MS };
    return await this.#with.database.transaction((tx) => deleteExpiredSessions(tx, recent, limit));
  }

  async #record(tx: Transaction, id: number, by: Actor, sessions: number): Promise<void> {
    const change = {
      by,
      action: 'SESSIONS_ENDED',
      id,
      name: by.name ?? by.user,
      details: { sessions },
    } as const;
    await recordAudit(tx, change, this.#with.now());
  }

  #isActive(session: { created_at: number; last_seen_at: number }): boolean {
    const { created_at: began, last_seen_at: seen } = session;
    const { beganAfter, seenAfter, until } = this.#activeAt(this.#with.now());
    return began > beganAfter && began <= until && seen > seenAfter && seen <= until;
  }

  /** A session that is later than these times is from before the clock was set back, and would outlive its limits. */
  #activeAt(now: number): ActiveSessions {
    const { lifetimeMs, idleMs } = this.#with;
    return { beganAfter: now - lifetimeMs, seenAfter: now - idleMs, until: now + SET_BACK_MS };
  }

  /** People must be able to read what is wrong with a database that accepts no changes. */
  async #noteSeen(session: { session_id: number; last_seen_at: number }, address: string): Promise<void> {
    const now = this.#with.now();
    const staleAt = now - SEEN_NOTED_EVERY_MS;
    if (session.last_seen_at > staleAt) return;
    try {
      const use = { seenAt: now, address: plainAddress(address), staleAt };
      await this.#with.database.transaction((tx) => noteSessionSeen(tx, session.session_id, use), {
        durability: 'deferred',
      });
    } catch (error) {
      // An outage of the database is logged once, by the database watch.
      if (error instanceof DatabaseUnavailableError) return;
      this.#with.log.warn('the last use of a session could not be recorded', { error });
    }
  }
}
