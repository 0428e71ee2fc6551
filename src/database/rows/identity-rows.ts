import type { Generated } from 'kysely';

/** Rows of API clients and administrators. */

export interface ApiClientRow {
  client_id: string;
  name: string;
  /** Stands as `user` in the messages of events that the client causes. */
  email: string;
  /** Space-separated, as in OAuth. */
  scopes: string;
  /** SHA-256 of the secret, hexadecimal: secrets are 256 random bits, which no dictionary holds. */
  secret_hash: string;
  enabled: number;
  /** Tokens carry it; raising it ends those that were given out. */
  token_generation: number;
  created_at: number;
  last_used_at: number | null;
  /** Counts the changes of what is said of it. */
  revision: number;
}

export interface AdministratorRow {
  id: Generated<number>;
  /** As it was given: `user` in the messages of events that the administrator causes. */
  email: string;
  /** The address in the one spelling that is compared. */
  email_key: string;
  /** Null until the administrator tells it. */
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
  /** SHA-256 of the cookie's value, hexadecimal: the values are 256 random bits. */
  token_hash: string;
  administrator_id: number;
  user_agent: string;
  /** Of the last use that was noted; null when it is not known. */
  address: string | null;
  created_at: number;
  /** To the minute. */
  last_seen_at: number;
}

/** A link that lets whoever has it set a password, once. */
export interface SetupLinkRow {
  /** Whom the link is for; a later one takes the place of an earlier one. */
  subject: string;
  /** SHA-256 of the link's token, hexadecimal. */
  token_hash: string;
  /** Null: makes the first administrator. */
  administrator_id: number | null;
  expires_at: number;
}

/** How many wrong passwords someone may still send. */
export interface GuessBudgetRow {
  budget: string;
  /** When the budget is full again; each failure moves it further away. */
  full_at: number;
}
