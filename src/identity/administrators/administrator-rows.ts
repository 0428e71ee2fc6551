import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { type AuditFields, changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { notFound, ProblemError } from '../../problems/problem.ts';
import { emailKeyOf } from './administrator-input.ts';
import {
  insertAdministrator,
  lockAdministrator,
  type StoredAdministrator,
  selectAdministrator,
} from './administrator-store.ts';

/** @throws {ProblemError} `not-found` */
export async function requireAdministrator(reader: Reader, id: number): Promise<StoredAdministrator> {
  const row = await selectAdministrator(reader, id);
  if (row === undefined) throw notFound('administrator', id);
  return row;
}

/** Locks an administrator until the transaction ends. @throws {ProblemError} `not-found` */
export async function requireLockedAdministrator(tx: Transaction, id: number): Promise<StoredAdministrator> {
  const row = await lockAdministrator(tx, id);
  if (row === undefined) throw notFound('administrator', id);
  return row;
}

/** Adds an enabled administrator and returns the id. @throws {ProblemError} `conflict` if the address is in use */
export async function addAdministrator(
  tx: Transaction,
  {
    email,
    role,
    name,
    passwordHash,
  }: { email: string; role: string; name: string | null; passwordHash: string | null },
  now: number,
): Promise<number> {
  const id = await insertAdministrator(tx, {
    email,
    email_key: emailKeyOf(email),
    name,
    role,
    enabled: 1,
    password_hash: passwordHash,
    created_at: now,
    last_sign_in_at: null,
  });
  if (id === undefined) throw addressTaken(email);
  return id;
}

/** The error for an e-mail address that another administrator has. */
export function addressTaken(email: string): ProblemError {
  return new ProblemError('conflict', `An administrator with the e-mail address ${email} already exists`);
}

/** Records a change of an administrator in the audit log: null before it was created, and after it was deleted. */
export async function recordAdministrator(
  tx: Transaction,
  {
    by,
    action,
    before,
    after,
  }: {
    by: Actor;
    action: AuditAction;
    before: StoredAdministrator | null;
    after: StoredAdministrator | null;
  },
  now: number,
): Promise<void> {
  const { id, name, email } = (after ?? before) as StoredAdministrator;
  const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
  await recordAudit(tx, { by, action, id, name: name ?? email, changes }, now);
}

/** The fields of an administrator that the audit log shows. */
export function fieldsOf({ email, name, role, enabled }: StoredAdministrator): AuditFields {
  return { email, name, role, enabled: enabled === 1 };
}
