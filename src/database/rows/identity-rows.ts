import type { Generated } from 'kysely';

/** Rows of API clients and administrators. */

export interface ApiClientRow {
  client_id: string;
  name: string;
  /** The `user` in the messages of events that the client triggers. */
  email: string;
  /** Space-separated, as in OAuth. */
  scopes: string;
  /** SHA-256 of the secret, hexadecimal. Secrets are 256 random bits, which cannot be guessed. */
  secret_hash: string;
  enabled: number;
  /** Part of the client's tokens. Increasing it invalidates all issued tokens. */
  token_generation: number;
  created_at: number;
  last_used_at: number | null;
  /** The revision of the client, increased by each change. */
  revision: number;
}

export interface AdministratorRow {
  id: Generated<number>;
  /** As entered: `user` in the messages of events that the administrator triggers. */
  email: string;
  /** The address in canonical form, for comparisons. */
  email_key: string;
  /** Null until the administrator enters it. */
  name: string | null;
  role: string;
  enabled: number;
  /** Argon2id in the PHC string format; null until a first password is set. */
  password_hash: string | null;
  created_at: number;
  last_sign_in_at: number | null;
}

export interface AdministratorSessionRow {
  id: Generated<number>;
  /** SHA-256 of the cookie's value, hexadecimal. The values are 256 random bits. */
  token_hash: string;
  administrator_id: number;
  user_agent: string;
  /** The address of the last recorded use; null if it is unknown. */
  address: string | null;
  created_at: number;
  /** With a precision of one minute. */
  last_seen_at: number;
}

/** A one-time link for setting a password. */
export interface SetupLinkRow {
  /** Whom the link is for. A later link replaces an earlier one. */
  subject: string;
  /** SHA-256 of the link's token, hexadecimal. */
  token_hash: string;
  /** Null: creates the first administrator. */
  administrator_id: number | null;
  expires_at: number;
}

/** How many wrong passwords are still allowed. */
export interface GuessBudgetRow {
  budget: string;
  /** When the budget is full again. Each failure postpones it. */
  full_at: number;
}
