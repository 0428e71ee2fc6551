import { administratorActor } from '../../audit/actor.ts';
import { invalidInput, ProblemError } from '../../problems/problem.ts';
import { type Administrator, toAdministrator } from './administrator.ts';
import { checkAdministratorInput, emailKeyOf } from './administrator-input.ts';
import { addAdministrator, recordAdministrator, requireAdministrator } from './administrator-rows.ts';
import type { AdministratorDependencies } from './administrator-service.ts';
import {
  hasAdministrators,
  lockAdministrator,
  noteSignIn,
  selectAdministrator,
  updateAdministrator,
} from './administrator-store.ts';
import type { SessionUse } from './sessions.ts';
import { type IssuedLink, LINK_LIFETIME_MS } from './setup-links.ts';

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

/** One-time links with which people set their password. The first administrator is created with one. */
export class AdministratorSetup {
  readonly #with: AdministratorDependencies;

  constructor(dependencies: AdministratorDependencies) {
    this.#with = dependencies;
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
      const now = this.#with.now();
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
      else id = await addAdministrator(tx, { email, role: 'admin', name, passwordHash }, now);
      // Setting it signs in.
      await noteSignIn(tx, id, passwordHash, now);
      const row = await requireAdministrator(tx, id);
      const by = administratorActor(row, use.address);
      const action = current === undefined ? 'ADMINISTRATOR_CREATED' : 'PASSWORD_SET';
      await recordAdministrator(tx, { by, action, before: current ?? null, after: row }, now);
      await this.#with.sessions.endAll(tx, id);
      const sessionToken = await this.#with.sessions.begin(tx, id, use);
      const fields = { administrator_id: id };
      tx.onCommit(() => this.#with.log.info('an administrator set a password with a link', fields));
      return { administrator: toAdministrator(row), sessionToken, passwordHash };
    });
  }
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

function deadLink(): ProblemError {
  return new ProblemError(
    'not-found',
    'This link was already used, has expired, or was replaced by a newer one',
  );
}
