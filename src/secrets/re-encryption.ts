import type { Database, Transaction } from '../database/database.ts';
import { type CredentialsCipher, LABEL_CHARACTERS, UndecryptableError } from './credentials-cipher.ts';
import { readSecretUse, SECRET_CHECK_NAME, SECRET_CHECK_TEXT, type SecretUse } from './secret-check.ts';

/** Webhooks that one transaction re-encrypts: a few milliseconds of the database's time. */
const STEP_ROWS = 200;
/** Rounds over all webhooks while a service beside this goes on encrypting with the former secret. */
const MAX_ROUNDS = 5;

/** What a re-encryption came to. */
export interface ReEncryption {
  /** Values that it encrypted again. */
  changed: number;
  /** Webhooks whose credentials no configured secret decrypts, ascending; they are left as they are. */
  unreadable: number[];
  /** Values that the former secret still encrypts and that can be read; above 0 the change is not complete. */
  remaining: number;
  /** Counted at the end, in the transaction that settled it. */
  use: SecretUse;
}

/**
 * Encrypts everything with the present secret that a former one has encrypted. It works beside running
 * services: each value is replaced only while it is the one that was read. It may be interrupted at any moment
 * and run again: what is done is done, and the check value, which guards the former secret's removal, goes
 * last.
 */
export async function reEncrypt(
  database: Database,
  cipher: CredentialsCipher,
  onStep: (changed: number) => void = () => {},
): Promise<ReEncryption> {
  let changed = 0;
  for (let round = 1; ; round++) {
    const unreadable: Unreadable[] = [];
    let after: number | null = 0;
    while (after !== null) {
      const from: number = after;
      const step = await database.transaction((tx) => reEncryptStep(tx, cipher, from));
      changed += step.changed;
      unreadable.push(...step.unreadable);
      after = step.next;
      onStep(changed);
    }
    const damaged = unreadable.filter(({ former }) => former).length;
    const end = await database.transaction((tx) => settle(tx, cipher, damaged));
    changed += end.changed;
    if (end.remaining === 0 || round === MAX_ROUNDS) {
      const { remaining, use } = end;
      return { changed, unreadable: unreadable.map(({ webhookId }) => webhookId), remaining, use };
    }
  }
}

interface Unreadable {
  webhookId: number;
  /** It says that the former secret encrypted it, and is damaged. */
  former: boolean;
}

async function reEncryptStep(
  tx: Transaction,
  cipher: CredentialsCipher,
  after: number,
): Promise<{ changed: number; unreadable: Unreadable[]; next: number | null }> {
  const rows = await tx.all<{ id: number; credentials: string }>(
    `select webhooks.id, webhooks.credentials from webhooks
     where webhooks.id > ? and webhooks.credentials is not null
       and substr(webhooks.credentials, 1, ${LABEL_CHARACTERS}) <> ?
     order by webhooks.id limit ${STEP_ROWS}`,
    after,
    cipher.label,
  );
  let changed = 0;
  const unreadable: Unreadable[] = [];
  for (const { id, credentials } of rows) {
    try {
      const renewed = cipher.encryptCredentials(id, cipher.decryptCredentials(id, credentials));
      changed += await replaceCredentials(tx, id, credentials, renewed);
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      unreadable.push({ webhookId: id, former: cipher.secretOf(credentials) === 'former' });
    }
  }
  return { changed, unreadable, next: rows.length === STEP_ROWS ? rows.at(-1)!.id : null };
}

/** Nothing when someone has set other credentials since. The revision stays: what the webhook is has not changed. */
async function replaceCredentials(
  tx: Transaction,
  id: number,
  present: string,
  renewed: string,
): Promise<number> {
  return await tx.run(
    'update webhooks set credentials = ? where id = ? and credentials = ?',
    renewed,
    id,
    present,
  );
}

/** Renews the check value once no readable value is left to the former secret. `damaged` ones need no secret any more. */
async function settle(
  tx: Transaction,
  cipher: CredentialsCipher,
  damaged: number,
): Promise<{ changed: number; remaining: number; use: SecretUse }> {
  const before = await readSecretUse(tx, cipher);
  const check = await tx.query
    .selectFrom('service_secrets')
    .select('service_secrets.value')
    .where('service_secrets.name', '=', SECRET_CHECK_NAME)
    .executeTakeFirstOrThrow();
  const isCheckFormer = cipher.secretOf(check.value) === 'former';
  const remaining = Math.max(0, before.former - damaged - (isCheckFormer ? 1 : 0));
  if (remaining > 0 || !isCheckFormer) return { changed: 0, remaining, use: before };
  const changed = await tx.run(
    'update service_secrets set value = ? where name = ? and value = ?',
    cipher.encrypt(SECRET_CHECK_NAME, SECRET_CHECK_TEXT),
    SECRET_CHECK_NAME,
    check.value,
  );
  return { changed, remaining, use: await readSecretUse(tx, cipher) };
}
