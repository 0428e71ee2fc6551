import type { Database, Transaction } from '../database/database.ts';
import {
  alertUrlContext,
  type CredentialsCipher,
  LABEL_CHARACTERS,
  signingContext,
  UndecryptableError,
  webhookContext,
} from './credentials-cipher.ts';
import {
  readSecretUse,
  SECRET_CHECK_NAME,
  SECRET_CHECK_TEXT,
  type SecretUse,
  selectSecretCheck,
} from './secret-check.ts';

/** Number of webhooks per transaction: a few milliseconds of database time. */
const STEP_ROWS = 200;
/** Maximum number of rounds over all webhooks while a running service keeps encrypting with the former secret. */
const MAX_ROUNDS = 5;

/** The result of a re-encryption. */
export interface ReEncryption {
  /** Number of values that were re-encrypted. */
  changed: number;
  /** Webhooks with a value that no configured secret decrypts, in ascending order. They are not changed. */
  unreadable: number[];
  /** Alert rules with a value that no configured secret decrypts, in ascending order. They are not changed. */
  unreadableAlerts: number[];
  /**
   * Number of readable values that are still encrypted with the former secret. If it is above 0, the change is not
   * complete.
   */
  remaining: number;
  /** Counted at the end, in the last transaction. */
  use: SecretUse;
}

/**
 * Encrypts everything with the current secret that was encrypted with a former one. It works while services are
 * running, because each value is replaced only if it has not changed since it was read. It can be interrupted at
 * any time and run again. The check value, which guards the removal of the former secret, comes last.
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
    const alerts = await database.transaction((tx) => reEncryptAlerts(tx, cipher));
    changed += alerts.changed;
    onStep(changed);
    const damaged = [...unreadable, ...alerts.unreadable].filter(({ former }) => former).length;
    const end = await database.transaction((tx) => settle(tx, cipher, damaged));
    changed += end.changed;
    if (end.remaining === 0 || round === MAX_ROUNDS) {
      const { remaining, use } = end;
      const ids = new Set(unreadable.map(({ id }) => id));
      const unreadableAlerts = alerts.unreadable.map(({ id }) => id);
      return { changed, unreadable: [...ids], unreadableAlerts, remaining, use };
    }
  }
}

interface Unreadable {
  /** The id of the webhook or alert rule. */
  id: number;
  /** Its label names the former secret, but it is damaged. */
  former: boolean;
}

async function reEncryptStep(
  tx: Transaction,
  cipher: CredentialsCipher,
  after: number,
): Promise<{ changed: number; unreadable: Unreadable[]; next: number | null }> {
  const rows = await tx.all<{ id: number } & Record<SecretColumn, string | null>>(
    `select webhooks.id, ${SECRET_COLUMNS.map((column) => `webhooks.${column}`).join(', ')} from webhooks
     where webhooks.id > ? and (${SECRET_COLUMNS.map(isOlder).join(' or ')})
     order by webhooks.id limit ${STEP_ROWS}`,
    after,
    ...SECRET_COLUMNS.map(() => cipher.label),
  );
  let changed = 0;
  const unreadable: Unreadable[] = [];
  for (const row of rows) {
    for (const column of SECRET_COLUMNS) {
      const stored = row[column];
      if (stored === null || cipher.secretOf(stored) === 'current') continue;
      const context = CONTEXTS[column](row.id);
      try {
        const renewed = cipher.encrypt(context, cipher.decrypt(context, stored));
        changed += await replaceSecret(tx, column, { id: row.id, stored, renewed });
      } catch (error) {
        if (!(error instanceof UndecryptableError)) throw error;
        unreadable.push({ id: row.id, former: cipher.secretOf(stored) === 'former' });
      }
    }
  }
  return { changed, unreadable, next: rows.length === STEP_ROWS ? rows.at(-1)!.id : null };
}

/** The URLs of alert rules: there are so few that one step is enough. */
async function reEncryptAlerts(
  tx: Transaction,
  cipher: CredentialsCipher,
): Promise<{ changed: number; unreadable: Unreadable[] }> {
  const rows = await tx.all<{ id: number; target_url: string }>(
    'select id, target_url from alert_rules where target_url is not null order by id',
  );
  let changed = 0;
  const unreadable: Unreadable[] = [];
  for (const { id, target_url: stored } of rows) {
    if (cipher.secretOf(stored) === 'current') continue;
    const context = alertUrlContext(id);
    try {
      const renewed = cipher.encrypt(context, cipher.decrypt(context, stored));
      const replace = 'update alert_rules set target_url = ? where id = ? and target_url = ?';
      changed += await tx.run(replace, renewed, id, stored);
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
      unreadable.push({ id, former: cipher.secretOf(stored) === 'former' });
    }
  }
  return { changed, unreadable };
}

/** The context of each encrypted column of a webhook. */
const CONTEXTS = {
  credentials: webhookContext,
  signing_secret: signingContext,
  former_signing_secret: signingContext,
} as const;
type SecretColumn = keyof typeof CONTEXTS;
const SECRET_COLUMNS = Object.keys(CONTEXTS) as SecretColumn[];

function isOlder(column: SecretColumn): string {
  return `(webhooks.${column} is not null and substr(webhooks.${column}, 1, ${LABEL_CHARACTERS}) <> ?)`;
}

/**
 * Does nothing if someone has set another secret since. The revision is kept, because the configuration has not
 * changed.
 */
async function replaceSecret(
  tx: Transaction,
  column: SecretColumn,
  { id, stored, renewed }: { id: number; stored: string; renewed: string },
): Promise<number> {
  return await tx.run(
    `update webhooks set ${column} = ? where id = ? and ${column} = ?`,
    renewed,
    id,
    stored,
  );
}

/** Renews the check value once no readable value needs the former secret. `damaged` values no longer need a secret. */
async function settle(
  tx: Transaction,
  cipher: CredentialsCipher,
  damaged: number,
): Promise<{ changed: number; remaining: number; use: SecretUse }> {
  const before = await readSecretUse(tx, cipher);
  const check = (await selectSecretCheck(tx))!;
  const isCheckFormer = cipher.secretOf(check) === 'former';
  const remaining = Math.max(0, before.former - damaged - (isCheckFormer ? 1 : 0));
  if (remaining > 0 || !isCheckFormer) return { changed: 0, remaining, use: before };
  const changed = await tx.run(
    'update service_secrets set value = ? where name = ? and value = ?',
    cipher.encrypt(SECRET_CHECK_NAME, SECRET_CHECK_TEXT),
    SECRET_CHECK_NAME,
    check,
  );
  return { changed, remaining, use: await readSecretUse(tx, cipher) };
}
