import { parseArgs } from 'node:util';
import { MIB } from '../bytes.ts';
import { describeCopied } from '../database/copying/copied-marker.ts';
import { dataFolderPaths } from '../database/data-folder.ts';
import { messageOf } from '../problems/error-message.ts';
import { hidePassword } from '../settings/parser.ts';
import type { Settings } from '../settings/settings-table.ts';
import { BackupError, backUp } from './backup.ts';
import type { BackupSecret } from './backup-secret.ts';
import { FAILURE, SUCCESS } from './exit.ts';
import { assertOptionsOnce, noteText, type Output, writeWrongUse } from './subcommands.ts';

const HELP = `Usage: coursewire backup --to FOLDER

Backs up the embedded data (database, course files, secret) into a folder, completely or not at
all. The service can keep running. See docs/operating.md, "Backup" and "Restore", also for
PostgreSQL and shared stores.

Exit code: 0 if the backup is complete; 1 if none was made, or if it lacks the secret that decrypts
it, which the message then says. What a killed backup leaves is removed by the next backup to the
same place, a day later or more.

Options:
  --to FOLDER  a folder that does not exist yet, or is empty, such as a mounted disk
  --help       show this text
`;

/** Dependencies of the command. */
export interface BackupCommandContext extends Output {
  /** Not read for help or wrong usage. */
  settings: () => Settings;
}

/**
 * Runs `coursewire backup …`; `args` are what follows `backup`. Returns the exit code: 0 if it was done, 1 when
 * it was made without a secret that decrypts it, 2 if the arguments are wrong.
 * @throws {BackupError} @throws {DataFolderError} if the database cannot be read
 */
export async function runBackupCommand(
  args: readonly string[],
  context: BackupCommandContext,
): Promise<number> {
  const given = parse(args);
  if ('fault' in given) return writeWrongUse(context, given.fault, 'backup');
  if (given.to === null) {
    context.write(HELP);
    return SUCCESS;
  }
  const settings = context.settings();
  if (settings.database_url !== null) {
    throw new BackupError(
      'the database is PostgreSQL: back it up with pg_dump, then back up the content store (docs/operating.md, "Backup")',
    );
  }
  const folder = dataFolderPaths(settings.data_dir);
  const backup = await backUp(folder, {
    to: given.to,
    contentFolder: settings.content_store === null ? folder.contentFolder : null,
    configured: settings.webhooks_auth_secret,
    former: settings.webhooks_auth_secret_previous,
  });
  if (backup.copied !== null) {
    context.writeError(
      noteText(
        `the database in ${folder.path} ${describeCopied(backup.copied)}. This is a backup of the embedded database, not of PostgreSQL`,
      ),
    );
  }
  const { lacks } = backup.secret;
  const held = [
    `${given.to} contains the database (${(backup.databaseBytes / MIB).toFixed(1)} MiB)`,
    settings.content_store === null
      ? ` and the files of ${counted(backup.versions, 'course version')}`
      : '; course files are in content_store: back them up there after this',
    backup.versionsGone === 0 ? '' : ` (${backup.versionsGone} more were deleted in the meantime)`,
  ].join('');
  if (lacks !== null) {
    context.writeError(`NOT COMPLETE: ${held}. It lacks its secret: ${lacks}.\n`);
    return FAILURE;
  }
  context.write(`DONE: ${held}.\n${describeSecret(backup.secret)}`);
  return SUCCESS;
}

function describeSecret({ copiesFile, needsFormer, unreadable }: BackupSecret): string {
  return [
    copiesFile
      ? 'It contains webhooks_auth_secret: anyone with the backup can read stored credentials.\n'
      : 'It does not contain webhooks_auth_secret, which is a setting. The backup needs it: keep it in another place.\n',
    needsFormer
      ? 'The secret is being changed, so some of the data needs webhooks_auth_secret_previous. Keep that with the backup.\n'
      : '',
    unreadable === 0
      ? ''
      : `${counted(unreadable, 'stored value')} cannot be decrypted with the configured secrets, neither in the backup nor in the service.\n`,
  ].join('');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function parse(args: readonly string[]): { to: string | null } | { fault: string } {
  try {
    const { values, tokens } = parseArgs({
      args: [...args],
      options: { to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      strict: true,
      tokens: true,
    });
    if (values.help === true) return { to: null };
    assertOptionsOnce(tokens);
    return values.to === undefined || values.to === '' ? { fault: '--to is missing.' } : { to: values.to };
  } catch (error) {
    return { fault: hidePassword(messageOf(error)) };
  }
}
