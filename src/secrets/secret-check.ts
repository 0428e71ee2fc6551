import type { Database, Reader } from '../database/database.ts';
import { hasFacts, keepFact, readFact } from '../database/facts.ts';
import { type CredentialsCipher, LABEL_CHARACTERS, UndecryptableError } from './credentials-cipher.ts';

/** The name of the check value in `service_secrets`, and its context. */
export const SECRET_CHECK_NAME = 'webhooks_auth_secret_check';
/** The plaintext of the check value. */
export const SECRET_CHECK_TEXT = 'coursewire';

/** An instance without a configured secret creates one, which works only with a new database. */
const SAME_FOR_ALL = '. All instances on one database need the same';

/** The configured `webhooks_auth_secret` is not the one that this database's credentials are encrypted with. */
export class WrongSecretError extends Error {
  override name = 'WrongSecretError';
}

/** How many stored values each secret has encrypted; the check value is one of them. */
export interface SecretUse {
  current: number;
  /** By `webhooks_auth_secret_previous`. */
  former: number;
  /** By neither of the configured ones. */
  unknown: number;
}

/**
 * Checks the configured secrets with a value that was encrypted when the database was new. Thus wrong secrets are
 * detected at startup and not at the first delivery. @throws {WrongSecretError}
 */
export async function checkSecret(database: Database, cipher: CredentialsCipher): Promise<void> {
  const made = cipher.encrypt(SECRET_CHECK_NAME, SECRET_CHECK_TEXT);
  const stored = await database.transaction((tx) => keepFact(tx, SECRET_CHECK_NAME, made));
  if (!opensCheck(cipher, stored)) throw wrongSecret(cipher.hasFormer);
}

/** The stored check value; null in a new database, with or without a schema. Writes nothing. */
export async function readSecretCheck({ reader, dialect }: Database): Promise<string | null> {
  return (await hasFacts(reader, dialect)) ? await selectSecretCheck(reader) : null;
}

/** The check value of a database that has the schema; null if there is none. */
export async function selectSecretCheck(reader: Pick<Reader, 'all'>): Promise<string | null> {
  return await readFact(reader, SECRET_CHECK_NAME);
}

/** Whether one of the cipher's secrets decrypts the stored check value. */
export function opensCheck(cipher: CredentialsCipher, stored: string): boolean {
  try {
    cipher.decrypt(SECRET_CHECK_NAME, stored);
    return true;
  } catch (error) {
    if (error instanceof UndecryptableError) return false;
    throw error;
  }
}

/** The error for a secret that does not decrypt the check value. */
export function wrongSecret(hasFormer: boolean): WrongSecretError {
  return new WrongSecretError(
    hasFormer
      ? 'neither webhooks_auth_secret nor webhooks_auth_secret_previous is the one that the credentials in this ' +
          'database are encrypted with; configure the secret that was used before as webhooks_auth_secret_previous' +
          SAME_FOR_ALL
      : 'webhooks_auth_secret is not the one that the credentials in this database are encrypted with; configure ' +
          'the secret that was used before, or, to change it, set that one as webhooks_auth_secret_previous' +
          SAME_FOR_ALL,
  );
}

const STORED_SECRETS = ['credentials', 'signing_secret', 'former_signing_secret'];

/** Counts the stored values by the secret that their labels name. */
export async function readSecretUse(
  reader: Pick<Reader, 'all'>,
  cipher: CredentialsCipher,
): Promise<SecretUse> {
  const rows = await reader.all<{ label: string; count: number }>(
    `select stored.label, count(*) as count from (
       ${STORED_SECRETS.map(
         (column) =>
           `select substr(webhooks.${column}, 1, ${LABEL_CHARACTERS}) as label from webhooks
            where webhooks.${column} is not null union all`,
       ).join('\n')}
       select substr(alert_rules.target_url, 1, ${LABEL_CHARACTERS}) from alert_rules
       where alert_rules.target_url is not null union all
       select substr(service_secrets.value, 1, ${LABEL_CHARACTERS}) from service_secrets
       where service_secrets.name = ?
     ) stored group by stored.label`,
    SECRET_CHECK_NAME,
  );
  const use: SecretUse = { current: 0, former: 0, unknown: 0 };
  for (const { label, count } of rows) use[cipher.secretOf(label) ?? 'unknown'] += count;
  return use;
}

/** Startup messages about the use of the secrets. Empty if one secret decrypts everything. */
export function secretFindings(use: SecretUse, hasFormer: boolean): { serious: boolean; text: string }[] {
  const findings: { serious: boolean; text: string }[] = [];
  if (use.unknown > 0) {
    findings.push({
      serious: true,
      text:
        `${values(use.unknown)} encrypted with a secret that is not configured: set it as ` +
        'webhooks_auth_secret_previous, or set the key and secret of the webhooks and the URLs of the alert rules again',
    });
  }
  if (!hasFormer) return findings;
  if (use.former === 0) {
    findings.push({
      serious: false,
      text:
        'No stored value is encrypted with webhooks_auth_secret_previous: it is only needed for tokens that were ' +
        'signed with it, and can be removed once these have expired',
    });
  } else {
    const yet = use.current === 0 ? 'No stored value is encrypted with webhooks_auth_secret yet: ' : '';
    findings.push({
      serious: false,
      text:
        `${yet}${values(use.former)} encrypted with webhooks_auth_secret_previous; ` +
        'run "coursewire secrets re-encrypt"',
    });
  }
  return findings;
}

function values(count: number): string {
  return count === 1 ? '1 stored value is' : `${count} stored values are`;
}
