import type { Database, Transaction } from '../../database/database.ts';
import type { SetupLinkRow } from '../../database/schema.ts';
import { SET_BACK_MS } from '../../time/set-back.ts';
import { DAY_MS } from '../../time/units.ts';
import { hashToken, isToken, newToken } from './random-token.ts';
import {
  deleteExpiredLinks,
  deleteLinkOf,
  type LinkTimes,
  replaceLink,
  selectLink,
  takeLink,
} from './setup-link-store.ts';

/** Lifetime of the link for the first administrator or a new password. */
export const LINK_LIFETIME_MS = DAY_MS;
/** Lifetime of an invitation. */
export const INVITATION_LIFETIME_MS = 7 * DAY_MS;

const FIRST = 'first';

/** A new link. Its token is known only now. */
export interface IssuedLink {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Whom a link is for; null for the first administrator. */
export type LinkTarget = Pick<SetupLinkRow, 'administrator_id'>;

/** The page of a link. The token is in the fragment, which browsers never send and proxies never log. */
export function setupUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/ui/setup#token=${token}`;
}

/** Dependencies of {@link SetupLinks}. */
export interface SetupLinksDependencies {
  database: Database;
  now: () => number;
}

/**
 * One-time links. Anyone with a link can set a password once: that of the first administrator, or of the
 * administrator it is for. Only hashes of their tokens (256 random bits) are stored. A new link replaces the
 * previous one.
 */
export class SetupLinks {
  readonly #with: SetupLinksDependencies;

  constructor(dependencies: SetupLinksDependencies) {
    this.#with = dependencies;
  }

  /** Creates a link for an administrator or, with null, for the first administrator. */
  async issue(tx: Transaction, administratorId: number | null, lifetimeMs: number): Promise<IssuedLink> {
    const token = newToken();
    const expiresAt = this.#with.now() + lifetimeMs;
    await replaceLink(tx, {
      subject: administratorId === null ? FIRST : `administrator:${administratorId}`,
      token_hash: hashToken(token),
      administrator_id: administratorId,
      expires_at: expiresAt,
    });
    return { token, expiresAt };
  }

  /** Whom a token is for; null if it is invalid, used or expired, or from before the clock was set back. */
  async read(token: string): Promise<LinkTarget | null> {
    if (!isToken(token)) return null;
    return (await selectLink(this.#with.database.reader, hashToken(token), this.#times())) ?? null;
  }

  /** Uses up a token and returns who it was for, or null if it was already used. */
  async take(tx: Transaction, token: string): Promise<LinkTarget | null> {
    return (await takeLink(tx, hashToken(token), this.#times())) ?? null;
  }

  /** Ends an administrator's link. */
  async end(tx: Transaction, administratorId: number): Promise<void> {
    await deleteLinkOf(tx, administratorId);
  }

  /** Deletes links that have expired or are from before the clock was set back, at most `limit`, and returns how many. */
  async forgetExpired(limit: number): Promise<number> {
    return await this.#with.database.transaction((tx) => deleteExpiredLinks(tx, this.#times(), limit));
  }

  #times(): LinkTimes {
    const now = this.#with.now();
    const latest = (lifetimeMs: number) => now + lifetimeMs + SET_BACK_MS;
    return {
      after: now,
      until: latest(LINK_LIFETIME_MS),
      invitationUntil: latest(INVITATION_LIFETIME_MS),
    };
  }
}
