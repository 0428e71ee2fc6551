import type { Database } from '../database/database.ts';
import type { CredentialsCipher } from '../secrets/credentials-cipher.ts';
import { type ReEncryption, reEncrypt } from '../secrets/re-encryption.ts';
import { quote } from '../settings/parser.ts';
import { HOUR_MS } from '../time/units.ts';
import { FAILURE, SUCCESS } from './exit.ts';
import { type Output, writeWrongUse } from './subcommands.ts';

/** Maximum number of webhooks listed by name. */
const MAX_NAMED = 50;

const HELP = `Usage: coursewire secrets re-encrypt

Re-encrypts the keys and secrets of webhooks and the URLs of alert rules that were encrypted with
webhooks_auth_secret_previous, verifies that none is left, and reports when you can remove the old
secret. Services can keep running. If it is interrupted, run it again. It shows no secrets.
How to change the secret step by step: docs/operating.md.

Exit code: 0 if no stored data needs the old secret, 1 if something is left to do.

Options:
  --help  show this text
`;

/** Dependencies of the command. */
export interface SecretsCommandContext extends Output {
  /** Opens what the command works on. Not called for help or wrong usage. */
  open: () => Promise<{ database: Database; cipher: CredentialsCipher }>;
  /** Maximum lifetime of tokens signed with a secret, in milliseconds. */
  tokenLifetimeMs: () => number;
}

/**
 * Runs `coursewire secrets …`; `args` are what follows `secrets`. Returns the exit code: 0 when no stored data
 * needs the former secret any more, 1 when something is left to do, 2 if the arguments are wrong.
 * @throws {DatabaseUnavailableError} when the database cannot be read or written.
 */
export async function runSecretsCommand(
  args: readonly string[],
  context: SecretsCommandContext,
): Promise<number> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    context.write(HELP);
    return SUCCESS;
  }
  const [name, ...extra] = args;
  if (name !== 're-encrypt' || extra.length > 0) {
    const what =
      name === undefined
        ? 'A command is missing: re-encrypt.'
        : name === 're-encrypt'
          ? `Unexpected argument ${JSON.stringify(extra[0])}.`
          : `Unknown command ${quote(name)}. The command is: re-encrypt.`;
    return writeWrongUse(context, what, 'secrets');
  }
  const { database, cipher } = await context.open();
  const done = await reEncrypt(database, cipher);
  context.write(summary(done));
  if (done.unreadable.length > 0) context.writeError(unreadableText(done.unreadable));
  if (done.unreadableAlerts.length > 0) context.writeError(unreadableAlertsText(done.unreadableAlerts));
  if (done.remaining > 0) {
    context.writeError(
      `NOT COMPLETE: ${count(done.remaining)} still encrypted with webhooks_auth_secret_previous, because a service with that secret ` +
        'is still writing. Set the new secret on every instance, then run this again.\n',
    );
    return FAILURE;
  }
  if (cipher.hasFormer) context.write(formerText(context.tokenLifetimeMs()));
  return done.unreadable.length + done.unreadableAlerts.length > 0 ? FAILURE : SUCCESS;
}

function summary({ changed, use }: ReEncryption): string {
  return (
    `Re-encrypted: ${changed}.\n` +
    `Now: ${use.current} with webhooks_auth_secret, ${use.former} with webhooks_auth_secret_previous, ` +
    `${use.unknown} with another secret.\n`
  );
}

function named(ids: readonly number[]): string {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  return `${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function unreadableAlertsText(ids: readonly number[]): string {
  return `No configured secret decrypts the URLs of these alert rules: ${named(ids)}.\nThey were not changed. Set them again.\n`;
}

function unreadableText(ids: readonly number[]): string {
  return (
    `No configured secret decrypts the credentials of these webhooks: ${named(ids)}.\n` +
    'They were not changed. Set the key and secret of these webhooks again, make new signing secrets for them, or run this again with the secret ' +
    'that they were encrypted with as webhooks_auth_secret_previous.\n'
  );
}

function formerText(tokenLifetimeMs: number): string {
  const hours = Math.ceil(tokenLifetimeMs / HOUR_MS);
  return (
    'Verified: no stored data needs webhooks_auth_secret_previous any longer.\n' +
    'Removing it invalidates access tokens and launch links that were signed with it, and closes courses that were opened ' +
    'with them. To let them expire instead, keep it ' +
    `until ${hours} ${hours === 1 ? 'hour' : 'hours'} after the last service was started with the new secret; ` +
    'then remove the setting and restart.\n' +
    'Browsers in which no administrator has signed in since the change will then be unknown (see "Wrong passwords" in ' +
    'docs/operating.md).\n'
  );
}

function count(values: number): string {
  return values === 1 ? '1 value is' : `${values} values are`;
}
