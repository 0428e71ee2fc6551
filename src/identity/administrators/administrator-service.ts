import type { AuditAction } from '../../audit/actions.ts';
import { type Actor, administratorActor } from '../../audit/actor.ts';
import { type AuditFields, changedFields, type FieldChange } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { invalidInput, notFound, ProblemError } from '../../problems/problem.ts';
import { type Administrator, toAdministrator } from './administrator.ts';
import { checkAdministratorInput, emailKeyOf } from './administrator-input.ts';
import {
  deleteAdministrator,
  hasAdministrators,
  insertAdministrator,
  lockAdministrator,
  lockAdmins,
  noteSignIn,
  type StoredAdministrator,
  selectAdministrator,
  selectAdministratorByEmail,
  selectAdministrators,
  updateAdministrator,
} from './administrator-store.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions, SessionUse } from './sessions.ts';
import { INVITATION_LIFETIME_MS, type IssuedLink, LINK_LIFETIME_MS, type SetupLinks } from './setup-links.ts';

/** Changes of an administrator. Omitted members are kept. */
export interface AdministratorChange {
  name?: string;
  role?: string;
  enabled?: boolean;
}

/** Input for setting up an administrator with a one-time link. */
export interface SetupInput {
  token: string;
  /** Required for the first administrator. For others, it must be the invited address. */
  email?: string | undefined;
  /** Required if none is known yet. */
  name?: string | undefined;
  password: string;
}

/** Whom a one-time link is for. For the first administrator, only the role is known. */
export interface LinkOwner {
  id: number | null;
  email: string | null;
  name: string | null;
  role: string;
  /** Whether the link replaces a password. */
  hasPassword: boolean;
}

const FIRST_ADMINISTRATOR: LinkOwner = {
  id: null,
  email: null,
  name: null,
  role: 'admin',
  hasPassword: false,
};

/** Dependencies of {@link AdministratorService}. */
export interface AdministratorServiceDependencies {
  database: Database;
  passwords: Passwords;
  sessions: Sessions;
  links: SetupLinks;
  log: Logger;
  now: () => number;
}

/** Administrators: inviting, setting up, changing and deleting them. */
export class AdministratorService {
  readonly #with: AdministratorServiceDependencies;

  constructor(dependencies: AdministratorServiceDependencies) {
    this.#with = dependencies;
  }

  /** Every administrator, by id. */
  async list(): Promise<Administrator[]> {
    return (await selectAdministrators(this.#with.database.reader)).map(toAdministrator);
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Administrator> {
    return toAdministrator(await this.#find(this.#with.database.reader, id));
  }

  /** The administrator of an e-mail address, or null. */
  async findByEmail(email: string): Promise<Administrator | null> {
    const row = await selectAdministratorByEmail(this.#with.database.reader, emailKeyOf(email));
    return row === undefined ? null : toAdministrator(row);
  }

  /** Whether there is no administrator yet, so that the first one must be created with a one-time link. */
  async needsSetup(): Promise<boolean> {
    return !(await hasAdministrators(this.#with.database.reader));
  }

  /**
   * A new link for creating the first administrator, which replaces an earlier one. Null if there is an
   * administrator.
   */
  async issueFirstLink(): Promise<IssuedLink | null> {
    return await this.#with.database.transaction(async (tx) =>
      (await hasAdministrators(tx)) ? null : await this.#with.links.issue(tx, null, LINK_LIFETIME_MS),
    );
  }

  /**
   * Invites an administrator, who sets a password with the link. Inviting someone again creates a new link.
   * @throws {ProblemError} `invalid-request`; `conflict` if the address is in use
   */
  async invite(
    input: { email: string; role: string; name?: string },
    by: Actor,
  ): Promise<{ administrator: Administrator; link: IssuedLink }> {
    checkAdministratorInput(input);
    return await this.#with.database.transaction(async (tx) => {
      const { email, role, name } = input;
      const found = await selectAdministratorByEmail(tx, emailKeyOf(email));
      const current = found && (await lockAdministrator(tx, found.id));
      if (current !== undefined && current.password_hash !== null) throw addressTaken(email);
      let id = current?.id;
      if (id === undefined)
        id = await this.#insert(tx, { email, role, name: name ?? null, passwordHash: null });
      else await updateAdministrator(tx, id, { role, enabled: 1, ...(name === undefined ? {} : { name }) });
      const link = await this.#with.links.issue(tx, id, INVITATION_LIFETIME_MS);
      this.#log(tx, 'an administrator was invited', { administrator_id: id, role });
      const row = await this.#find(tx, id);
      const changes = changedFields(current === undefined ? null : fieldsOf(current), fieldsOf(row));
      await this.#record(tx, by, 'ADMINISTRATOR_INVITED', row, changes);
      return { administrator: toAdministrator(row), link };
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
      const id = await this.#insert(tx, { email, role, name, passwordHash });
      this.#log(tx, 'an administrator was created', { administrator_id: id, role });
      const row = await this.#find(tx, id);
      await this.#record(tx, by, 'ADMINISTRATOR_CREATED', row, changedFields(null, fieldsOf(row)));
      return toAdministrator(row);
    });
  }

  /**
   * A link with which an administrator sets a new password.
   * @throws {ProblemError} `not-found`; `conflict` if the administrator is disabled, because the link would not work
   */
  async issueLink(id: number, by: Actor): Promise<IssuedLink> {
    return await this.#with.database.transaction(async (tx) => {
      const row = await this.#lock(tx, id);
      if (row.enabled !== 1) {
        throw new ProblemError(
          'conflict',
          'The administrator is disabled, so a link would not work. Enable them first',
        );
      }
      const lifetimeMs = row.password_hash === null ? INVITATION_LIFETIME_MS : LINK_LIFETIME_MS;
      this.#log(tx, 'a password link was created', { administrator_id: id });
      await this.#record(tx, by, 'PASSWORD_LINK_CREATED', row, []);
      return await this.#with.links.issue(tx, id, lifetimeMs);
    });
  }

  /** The person a link is for, or null if it cannot be used. */
  async readLink(token: string): Promise<LinkOwner | null> {
    const link = await this.#with.links.read(token);
    if (link === null) return null;
    if (link.administrator_id === null) {
      return (await this.needsSetup()) ? FIRST_ADMINISTRATOR : null;
    }
    const row = await selectAdministrator(this.#with.database.reader, link.administrator_id);
    if (row?.enabled !== 1) return null;
    const { id, email, name, role } = row;
    return { id, email, name, role, hasPassword: row.password_hash !== null };
  }

  /**
   * Sets a password with a one-time link. A link without a person creates the first administrator. Ends all
   * sessions of the administrator and starts a new one, whose token is returned with the hash of the password.
   * @throws {ProblemError} `not-found` for a link that cannot be used, `invalid-request`
   */
  async setUp(
    input: SetupInput,
    use: SessionUse,
  ): Promise<{ administrator: Administrator; sessionToken: string; passwordHash: string }> {
    const known = await this.readLink(input.token);
    if (known === null) throw deadLink();
    const email = setupEmail(input, known.email);
    const enteredName = input.name ?? known.name;
    if (enteredName === null) throw invalidInput([{ pointer: '/name', detail: 'is required' }]);
    const newPassword = { value: input.password, email, member: 'password' } as const;
    checkAdministratorInput({ email, name: enteredName, password: newPassword });
    const passwordHash = await this.#with.passwords.hash(input.password);
    return await this.#with.database.transaction(async (tx) => {
      // Locked before the link, as in all code that ends links.
      const current = known.id === null ? undefined : await lockAdministrator(tx, known.id);
      if (known.id !== null && current?.enabled !== 1) throw deadLink();
      const link = await this.#with.links.take(tx, input.token);
      if (link === null) throw deadLink();
      let id = link.administrator_id;
      // Someone may have changed it since the link was read.
      const name = input.name ?? current?.name ?? enteredName;
      if (id !== null) await updateAdministrator(tx, id, { name, password_hash: passwordHash });
      else if (await hasAdministrators(tx)) throw deadLink();
      else id = await this.#insert(tx, { email, role: 'admin', name, passwordHash });
      // Setting it signs in.
      await noteSignIn(tx, id, passwordHash, this.#with.now());
      const row = await this.#find(tx, id);
      const by = administratorActor(row, use.address);
      const changes = changedFields(current === undefined ? null : fieldsOf(current), fieldsOf(row));
      const action = current === undefined ? 'ADMINISTRATOR_CREATED' : 'PASSWORD_SET';
      await this.#record(tx, by, action, row, changes);
      await this.#with.sessions.endAll(tx, id);
      const sessionToken = await this.#with.sessions.begin(tx, id, use);
      this.#log(tx, 'an administrator set a password with a link', { administrator_id: id });
      return { administrator: toAdministrator(row), sessionToken, passwordHash };
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
      const current = await this.#lock(tx, id);
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
      const row = await this.#find(tx, id);
      const changes = changedFields(fieldsOf(current), fieldsOf(row));
      if (changes.length > 0) await this.#record(tx, by, 'ADMINISTRATOR_UPDATED', row, changes);
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
      const current = await this.#lock(tx, id);
      await this.#with.sessions.endAll(tx, id);
      await this.#with.links.end(tx, id);
      await deleteAdministrator(tx, id);
      await this.#record(tx, by, 'ADMINISTRATOR_DELETED', current, changedFields(fieldsOf(current), null));
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
    { id, email, name }: StoredAdministrator,
    changes: readonly FieldChange[],
  ): Promise<void> {
    await recordAudit(tx, { by, action, id, name: name ?? email, changes }, this.#with.now());
  }

  async #insert(
    tx: Transaction,
    {
      email,
      role,
      name,
      passwordHash,
    }: { email: string; role: string; name: string | null; passwordHash: string | null },
  ): Promise<number> {
    const id = await insertAdministrator(tx, {
      email,
      email_key: emailKeyOf(email),
      name,
      role,
      enabled: 1,
      password_hash: passwordHash,
      created_at: this.#with.now(),
      last_sign_in_at: null,
    });
    if (id === undefined) throw addressTaken(email);
    return id;
  }

  async #lock(tx: Transaction, id: number): Promise<StoredAdministrator> {
    const row = await lockAdministrator(tx, id);
    if (row === undefined) throw notFound('administrator', id);
    return row;
  }

  async #find(reader: Parameters<typeof selectAdministrator>[0], id: number): Promise<StoredAdministrator> {
    const row = await selectAdministrator(reader, id);
    if (row === undefined) throw notFound('administrator', id);
    return row;
  }
}

/** What the audit log shows of an administrator. */
function fieldsOf({ email, name, role, enabled }: StoredAdministrator): AuditFields {
  return { email, name, role, enabled: enabled === 1 };
}

/** Rejects changes that would leave no admin. */
async function assertOtherAdmin(tx: Transaction, id: number): Promise<void> {
  const admins = await lockAdmins(tx);
  if (!admins.includes(id) || admins.length > 1) return;
  throw new ProblemError('conflict', 'This is the last enabled admin. Create another one first');
}

function setupEmail(input: SetupInput, invited: string | null): string {
  const given = input.email;
  if (invited === null && given === undefined) {
    throw invalidInput([{ pointer: '/email', detail: 'is required' }]);
  }
  if (invited !== null && given !== undefined && emailKeyOf(given) !== emailKeyOf(invited)) {
    throw invalidInput([
      { pointer: '/email', detail: 'must be the e-mail address that the link was created for' },
    ]);
  }
  return invited ?? given ?? '';
}

function addressTaken(email: string): ProblemError {
  return new ProblemError('conflict', `An administrator with the e-mail address ${email} already exists`);
}

function deadLink(): ProblemError {
  return new ProblemError(
    'not-found',
    'This link was already used, has expired, or was replaced by a newer one',
  );
}
