import { createHash, randomBytes } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import type { SetupLinkRow } from '../../database/schema.ts';
import { deleteExpiredLinks, deleteLinkOf, replaceLink, selectLink, takeLink } from './setup-link-store.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** How long the link can be used that makes the first administrator, or sets a new password. */
export const LINK_LIFETIME_MS = 24 * HOUR_MS;
/** How long an invitation can be taken up. */
export const INVITATION_LIFETIME_MS = 7 * 24 * HOUR_MS;

const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{43}$/;
const FIRST = 'first';

/** A link just made: the only time that its token is known. */
export interface IssuedLink {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Whom a link is for; null for the first administrator. */
export type LinkTarget = Pick<SetupLinkRow, 'administrator_id'>;

/** The page of a link's token. It stands in the fragment, which browsers send to nobody and no proxy logs. */
export function setupUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/ui/setup#token=${token}`;
}

/**
 * One-time links. Each lets whoever has it set a password once: the first administrator's, or that of the administrator whom
 * it is for. Of their tokens, 256 random bits, only hashes are kept. A new link takes the place of the one before.
 */
export class SetupLinks {
  readonly #database: Database;
  readonly #now: () => number;

  constructor({ database, now }: { database: Database; now: () => number }) {
    this.#database = database;
    this.#now = now;
  }

  /** Makes a link for an administrator, or with null the one that makes the first administrator. */
  async issue(tx: Transaction, administratorId: number | null, lifetimeMs: number): Promise<IssuedLink> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = this.#now() + lifetimeMs;
    await replaceLink(tx, {
      subject: administratorId === null ? FIRST : `administrator:${administratorId}`,
      token_hash: hashToken(token),
      administrator_id: administratorId,
      expires_at: expiresAt,
    });
    return { token, expiresAt };
  }

  /** Whom a token is for; null when it is none, was used, or has expired. */
  async read(token: string): Promise<LinkTarget | null> {
    if (!TOKEN_SHAPE.test(token)) return null;
    return (await selectLink(this.#database.reader, hashToken(token), this.#now())) ?? null;
  }

  /** Uses a token up and answers whom it was for; null when somebody else has used it. */
  async take(tx: Transaction, token: string): Promise<LinkTarget | null> {
    return (await takeLink(tx, hashToken(token), this.#now())) ?? null;
  }

  /** Ends an administrator's link. */
  async end(tx: Transaction, administratorId: number): Promise<void> {
    await deleteLinkOf(tx, administratorId);
  }

  /** Forgets links that have expired, at most `limit`, and answers how many. */
  async forgetExpired(limit: number): Promise<number> {
    return await this.#database.transaction((tx) => deleteExpiredLinks(tx, this.#now(), limit));
  }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest('hex');
}
