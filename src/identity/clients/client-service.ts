import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import {
  type AuditFields,
  changedFields,
  type FieldChange,
  secretChange,
} from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { ApiClientRow } from '../../database/schema.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { formatScope, readStoredScopes, type Scope } from '../scopes.ts';
import { type ClientInput, checkClientInput } from './client-input.ts';
import {
  deleteClient,
  disableClient,
  enableClient,
  insertClient,
  replaceSecret,
  selectClient,
  selectClients,
  selectLockedClient,
  updateClient,
  updateLastUse,
} from './client-store.ts';

const ID_PREFIX = 'cw_';
const ID_BYTES = 12;
const ID_OF_OURS = /^cw_[0-9a-f]{24}$/;
/**
 * The prefix lets secret scanners find a leaked secret, and keeps secrets from starting with a dash, which command
 * lines would misread.
 */
const SECRET_PREFIX = 'cws_';
const SECRET_BYTES = 32;
/** Precision of `lastUsedAt`: a client that constantly requests tokens costs one write per period. */
const USE_NOTED_EVERY_MS = MINUTE_MS;

/**
 * VSCHAR of RFC 6749 Appendix A.1 with a maximum length. No other text can be a client id or be stored in every
 * database.
 */
const POSSIBLE_ID = /^[\x20-\x7e]{1,255}$/;
/**
 * The hash that a secret is compared with if the client does not exist, so that the check takes the same time. No
 * secret has this hash.
 */
const NO_HASH = '00'.repeat(32);

const SECRET_CHANGE = secretChange('client_secret');

/** An API client without its secret. Times are in epoch milliseconds. */
export interface ApiClient {
  clientId: string;
  name: string;
  /** Sent as `user` in messages about what the client does. */
  email: string;
  scopes: ReadonlySet<Scope>;
  enabled: boolean;
  /** Tokens of an earlier generation are invalid. */
  tokenGeneration: number;
  createdAt: number;
  /** When it last got a token or used Basic authentication, to the minute; null before the first time. */
  lastUsedAt: number | null;
  /** Counts the changes of its name, address, scopes and of whether it is enabled. */
  revision: number;
}

/** A new client. Its secret is known only now. */
export interface CreatedClient {
  client: ApiClient;
  clientSecret: string;
}

/** Whether a text has the form of our client ids, so that it is not a secret and may be logged. */
export function hasClientIdForm(text: string): boolean {
  return ID_OF_OURS.test(text);
}

/** Dependencies of {@link ClientService}. */
export interface ClientServiceDependencies {
  database: Database;
  now: () => number;
}

/** API clients: creating, listing, deleting and authenticating them. */
export class ClientService {
  readonly #with: ClientServiceDependencies;

  constructor(dependencies: ClientServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * Creates an enabled client with a random id and secret. Only a hash of the secret is stored.
   * @param open an open transaction; without one, it opens its own
   * @throws {ProblemError} `invalid-request`, naming every invalid member.
   */
  async create(input: ClientInput, by: Actor, open?: Transaction): Promise<CreatedClient> {
    const scopes = checkClientInput(input);
    const clientSecret = newSecret();
    const row: ApiClientRow = {
      client_id: ID_PREFIX + randomBytes(ID_BYTES).toString('hex'),
      name: input.name,
      email: input.email,
      scopes: formatScope(scopes),
      secret_hash: hashSecret(clientSecret).toString('hex'),
      enabled: 1,
      token_generation: 0,
      created_at: this.#with.now(),
      last_used_at: null,
      revision: 1,
    };
    await inTransaction(this.#with.database, open, async (tx) => {
      await insertClient(tx, row);
      const changes = [...changedFields(null, fieldsOf(row)), SECRET_CHANGE];
      await this.#record(tx, by, 'API_CLIENT_CREATED', row, changes);
    });
    return { client: toClient(row), clientSecret };
  }

  /** Every client, oldest first. */
  async list(): Promise<ApiClient[]> {
    return (await selectClients(this.#with.database.reader)).map(toClient);
  }

  /** The client of that id, or null. */
  async get(clientId: string): Promise<ApiClient | null> {
    const row = await this.#find(clientId);
    return row === undefined ? null : toClient(row);
  }

  /**
   * Deletes a client, which invalidates its tokens immediately. Returns whether it existed.
   * @throws {ProblemError} `precondition-failed` if its revision is not one of those expected.
   */
  async delete(clientId: string, by: Actor, expected: ExpectedRevisions = null): Promise<boolean> {
    if (!POSSIBLE_ID.test(clientId)) return false;
    return await this.#with.database.transaction(async (tx) => {
      const current = await selectLockedClient(tx, clientId);
      if (current === undefined) return false;
      assertRevision(current.revision, expected);
      await deleteClient(tx, clientId);
      await this.#record(tx, by, 'API_CLIENT_DELETED', current, changedFields(fieldsOf(current), null));
      return true;
    });
  }

  /**
   * Disabling invalidates all tokens immediately and permanently. Enabling lets the client request new ones.
   * Returns whether the client exists.
   */
  async setEnabled(clientId: string, enabled: boolean, by: Actor): Promise<boolean> {
    if (!POSSIBLE_ID.test(clientId)) return false;
    const change = enabled ? enableClient : disableClient;
    return await this.#with.database.transaction(async (tx) => {
      const current = await selectLockedClient(tx, clientId);
      if (current === undefined) return false;
      await change(tx, clientId);
      await this.#recordUpdate(tx, by, current, { ...current, enabled: enabled ? 1 : 0 });
      return true;
    });
  }

  /**
   * Updates a client. Removed scopes are lost to its tokens immediately, and disabling invalidates them.
   * Returns the updated client, or null if it does not exist.
   * @throws {ProblemError} `invalid-request`, naming every invalid member; `precondition-failed` if its
   *   revision is not one of those expected.
   */
  async update(
    clientId: string,
    input: ClientInput & { enabled: boolean },
    by: Actor,
    expected: ExpectedRevisions,
  ): Promise<ApiClient | null> {
    const { name, email } = input;
    const scopes = formatScope(checkClientInput(input));
    if (!POSSIBLE_ID.test(clientId)) return null;
    return await this.#with.database.transaction(async (tx) => {
      const current = await selectLockedClient(tx, clientId);
      if (current === undefined) return null;
      assertRevision(current.revision, expected);
      if (current.name !== name || current.email !== email || current.scopes !== scopes) {
        await updateClient(tx, clientId, { name, email, scopes });
      }
      if (input.enabled !== (current.enabled === 1)) {
        await (input.enabled ? enableClient : disableClient)(tx, clientId);
      }
      const row = await selectClient(tx, clientId);
      if (row === undefined) return null;
      await this.#recordUpdate(tx, by, current, row);
      return toClient(row);
    });
  }

  /**
   * Replaces the secret of a client, which invalidates the old one and all tokens immediately. Null if the
   * client does not exist.
   */
  async renewSecret(clientId: string, by: Actor): Promise<CreatedClient | null> {
    if (!POSSIBLE_ID.test(clientId)) return null;
    const clientSecret = newSecret();
    return await this.#with.database.transaction(async (tx) => {
      if (!(await replaceSecret(tx, clientId, hashSecret(clientSecret).toString('hex')))) return null;
      const row = await selectClient(tx, clientId);
      if (row === undefined) return null;
      await this.#record(tx, by, 'API_CLIENT_SECRET_REPLACED', row, [SECRET_CHANGE]);
      return { client: toClient(row), clientSecret };
    });
  }

  /**
   * The enabled client of that id and secret, or null. An unknown id, a disabled client and a wrong secret
   * take the same steps, and the comparison takes the same time wherever the secrets differ.
   */
  async authenticate(clientId: string, secret: string): Promise<ApiClient | null> {
    const row = await this.#find(clientId);
    const kept = Buffer.from(row?.secret_hash ?? NO_HASH, 'hex');
    const matches = timingSafeEqual(hashSecret(secret), kept);
    return matches && row !== undefined && row.enabled === 1 ? toClient(row) : null;
  }

  /** Records `lastUsedAt`, with at most one write per minute and client. */
  async noteUse(client: ApiClient): Promise<void> {
    const now = this.#with.now();
    const staleAt = now - USE_NOTED_EVERY_MS;
    if (client.lastUsedAt !== null && client.lastUsedAt > staleAt) return;
    await this.#with.database.transaction((tx) => updateLastUse(tx, client.clientId, now, staleAt));
  }

  async #recordUpdate(tx: Transaction, by: Actor, before: ApiClientRow, after: ApiClientRow): Promise<void> {
    const changes = changedFields(fieldsOf(before), fieldsOf(after));
    if (changes.length > 0) await this.#record(tx, by, 'API_CLIENT_UPDATED', after, changes);
  }

  async #record(
    tx: Transaction,
    by: Actor,
    action: AuditAction,
    { client_id: id, name }: ApiClientRow,
    changes: readonly FieldChange[],
  ): Promise<void> {
    await recordAudit(tx, { by, action, id, name, changes }, this.#with.now());
  }

  /** An impossible id is looked up as one that no client has, so that it takes the same time. */
  async #find(clientId: string): Promise<ApiClientRow | undefined> {
    return await selectClient(this.#with.database.reader, POSSIBLE_ID.test(clientId) ? clientId : '');
  }
}

/** The fields of a client that the audit log shows. */
function fieldsOf({ name, email, scopes, enabled }: ApiClientRow): AuditFields {
  return { name, email, scope: scopes.split(' ').filter(Boolean), enabled: enabled === 1 };
}

function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function toClient(row: ApiClientRow): ApiClient {
  return {
    clientId: row.client_id,
    name: row.name,
    email: row.email,
    scopes: readStoredScopes(row.scopes),
    enabled: row.enabled === 1,
    tokenGeneration: row.token_generation,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revision: row.revision,
  };
}
