import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { changedFields } from '../../audit/field-changes.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { ProblemError } from '../../problems/problem.ts';
import { type Administrator, toAdministrator } from './administrator.ts';
import { checkAdministratorInput, emailKeyOf } from './administrator-input.ts';
import {
  addAdministrator,
  addressTaken,
  fieldsOf,
  recordAdministrator,
  requireAdministrator,
  requireLockedAdministrator,
} from './administrator-rows.ts';
import {
  deleteAdministrator,
  lockAdministrator,
  lockAdmins,
  type StoredAdministrator,
  selectAdministratorByEmail,
  selectAdministrators,
  updateAdministrator,
} from './administrator-store.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import { INVITATION_LIFETIME_MS, type IssuedLink, LINK_LIFETIME_MS, type SetupLinks } from './setup-links.ts';

/** Changes of an administrator. Omitted members are kept. */
export interface AdministratorChange {
  name?: string;
  role?: string;
  enabled?: boolean;
}

/** What the services of administrators need. */
export interface AdministratorDependencies {
  database: Database;
  passwords: Passwords;
  sessions: Sessions;
  links: SetupLinks;
  log: Logger;
  now: () => number;
}

/** Administrators: inviting, creating, changing and deleting them. */
export class AdministratorService {
  readonly #with: AdministratorDependencies;

  constructor(dependencies: AdministratorDependencies) {
    this.#with = dependencies;
  }

  /** Every administrator, by id. */
  async list(): Promise<Administrator[]> {
    return (await selectAdministrators(this.#with.database.reader)).map(toAdministrator);
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Administrator> {
    return toAdministrator(await requireAdministrator(this.#with.database.reader, id));
  }

  /** The administrator of an e-mail address, or null. */
  async findByEmail(email: string): Promise<Administrator | null> {
    const row = await selectAdministratorByEmail(this.#with.database.reader, emailKeyOf(email));
    return row === undefined ? null : toAdministrator(row);
  }

  /**
   * Invites an administrator, who sets a password with the link. Inviting someone again creates a new link, which replaces the
   * earlier one; `earlier` is the administrator as it was before, or null.
   * @throws {ProblemError} `invalid-request`; `conflict` if the address is in use
   */
  async invite(
    input: { email: string; role: string; name?: string },
    by: Actor,
  ): Promise<{ administrator: Administrator; earlier: Administrator | null; link: IssuedLink }> {
    checkAdministratorInput(input);
    return await this.#with.database.transaction(async (tx) => {
      const { email, role, name } = input;
      const found = await selectAdministratorByEmail(tx, emailKeyOf(email));
      const current = found && (await lockAdministrator(tx, found.id));
      if (current !== undefined && current.password_hash !== null) throw addressTaken(email);
      let id = current?.id;
      if (id === undefined)
        id = await addAdministrator(
          tx,
          { email, role, name: name ?? null, passwordHash: null },
          this.#with.now(),
        );
      else await updateAdministrator(tx, id, { role, enabled: 1, ...(name === undefined ? {} : { name }) });
      const link = await this.#with.links.issue(tx, id, INVITATION_LIFETIME_MS);
      this.#log(tx, 'an administrator was invited', { administrator_id: id, role });
      const row = await requireAdministrator(tx, id);
      await this.#record(tx, by, 'ADMINISTRATOR_INVITED', current ?? null, row);
      const earlier = current === undefined ? null : toAdministrator(current);
      return { administrator: toAdministrator(row), earlier, link };
    });
  }

  /**
   * Adds an administrator with a password.
   * @throws {ProblemError} `invalid-request`; `conflict` if the address is in use
   */
  async create(
    input: { email: string; role: string; name: string; password: string },
    by: Actor,
  ): Promise<Administrator> {
    const { email, role, name, password } = input;
    checkAdministratorInput({ email, role, name, password: { value: password, email, member: 'password' } });
    const passwordHash = await this.#with.passwords.hash(password);
    return await this.#with.database.transaction(async (tx) => {
      const id = await addAdministrator(tx, { email, role, name, passwordHash }, this.#with.now());
      this.#log(tx, 'an administrator was created', { administrator_id: id, role });
      const row = await requireAdministrator(tx, id);
      await this.#record(tx, by, 'ADMINISTRATOR_CREATED', null, row);
      return toAdministrator(row);
    });
  }

  /**
   * A link with which an administrator sets a new password.
   * @throws {ProblemError} `not-found`; `conflict` if the administrator is disabled, because the link would not work
   */
  async issueLink(id: number, by: Actor): Promise<IssuedLink> {
    return await this.#with.database.transaction(async (tx) => {
      const row = await requireLockedAdministrator(tx, id);
      if (row.enabled !== 1) {
        throw new ProblemError(
          'conflict',
          'The administrator is disabled, so a link would not work. Enable them first',
        );
      }
      const lifetimeMs = row.password_hash === null ? INVITATION_LIFETIME_MS : LINK_LIFETIME_MS;
      this.#log(tx, 'a password link was created', { administrator_id: id });
      await this.#record(tx, by, 'PASSWORD_LINK_CREATED', row, row);
      return await this.#with.links.issue(tx, id, lifetimeMs);
    });
  }

  /**
   * Changes an administrator. Disabling ends all sessions. A changed role applies from the next request on.
   * @throws {ProblemError} `not-found`, `invalid-request`; `conflict` if no admin would be left
   */
  async update(id: number, change: AdministratorChange, by: Actor): Promise<Administrator> {
    const { name, role, enabled } = change;
    checkAdministratorInput({
      ...(name === undefined ? {} : { name }),
      ...(role === undefined ? {} : { role }),
    });
    return await this.#with.database.transaction(async (tx) => {
      if (enabled === false || (role !== undefined && role !== 'admin')) await assertOtherAdmin(tx, id);
      const current = await requireLockedAdministrator(tx, id);
      const values = {
        ...(name === undefined ? {} : { name }),
        ...(role === undefined ? {} : { role }),
        ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
      };
      if (Object.keys(values).length > 0) await updateAdministrator(tx, id, values);
      if (enabled === false) {
        await this.#with.sessions.endAll(tx, id);
        await this.#with.links.end(tx, id);
      }
      this.#log(tx, 'an administrator was changed', { administrator_id: id, role, enabled });
      const row = await requireAdministrator(tx, id);
      const changes = changedFields(fieldsOf(current), fieldsOf(row));
      if (changes.length > 0) await this.#record(tx, by, 'ADMINISTRATOR_UPDATED', current, row);
      return toAdministrator(row);
    });
  }

  /**
   * Deletes an administrator and ends all their sessions.
   * @throws {ProblemError} `not-found`; `conflict` for oneself and for the last admin
   */
  async delete(id: number, by: Actor): Promise<void> {
    if (by.type === 'ADMINISTRATOR' && by.id === String(id))
      throw new ProblemError('conflict', 'You cannot delete yourself; another admin can');
    await this.#with.database.transaction(async (tx) => {
      await assertOtherAdmin(tx, id);
      const current = await requireLockedAdministrator(tx, id);
      await this.#with.sessions.endAll(tx, id);
      await this.#with.links.end(tx, id);
      await deleteAdministrator(tx, id);
      await this.#record(tx, by, 'ADMINISTRATOR_DELETED', current, null);
      this.#log(tx, 'an administrator was deleted', { administrator_id: id });
    });
  }

  /** Logs a change once it is certain. */
  #log(tx: Transaction, text: string, fields: Record<string, unknown>): void {
    tx.onCommit(() => this.#with.log.info(text, fields));
  }

  async #record(
    tx: Transaction,
    by: Actor,
    action: AuditAction,
    before: StoredAdministrator | null,
    after: StoredAdministrator | null,
  ): Promise<void> {
    await recordAdministrator(tx, { by, action, before, after }, this.#with.now());
  }
}

/** Rejects changes that would leave no admin. */
async function assertOtherAdmin(tx: Transaction, id: number): Promise<void> {
  const admins = await lockAdmins(tx);
  if (!admins.includes(id) || admins.length > 1) return;
  throw new ProblemError('conflict', 'This is the last enabled admin. Create another one first');
}
