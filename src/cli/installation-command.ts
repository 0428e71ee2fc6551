import type { Database } from '../database/database.ts';
import { installationOf, renewInstallation } from '../database/installation.ts';
import { readRunningHosts } from '../housekeeping/instances.ts';
import { quote } from '../settings/parser.ts';
import { FAILURE, SUCCESS } from './exit.ts';
import { type Output, writeWrongUse } from './subcommands.ts';

const HELP = `Usage: coursewire installation [renew]

Shows the id of this installation. The queues on Amazon SQS and the content_store belong to the
installation with that id. A copy of the database has the same id.

Commands:
  renew   give this copy of an installation a new id, so that both can be used side by side.
          Stop all instances first, and give the copy its own queues, content_store and targets.
          Delete the file coursewire-installation in its copy of the course files

Options:
  --help  show this text
`;

/** Dependencies of the command. */
export interface InstallationCommandContext extends Output {
  /** Opens the database. Not called for help or wrong usage. */
  open: () => Promise<Database>;
}

/**
 * Runs `coursewire installation …` and returns the exit code. It refuses to renew the id while instances use it.
 * @throws {DatabaseUnavailableError} when the database cannot be read or written.
 */
export async function runInstallationCommand(
  args: readonly string[],
  context: InstallationCommandContext,
): Promise<number> {
  const { open, write, writeError } = context;
  if (args.includes('--help') || args.includes('-h')) {
    write(HELP);
    return SUCCESS;
  }
  if (args.length > 1 || (args.length === 1 && args[0] !== 'renew')) {
    const fault = `Unknown command ${quote(args.join(' '))}. The command is: renew.`;
    return writeWrongUse(context, fault, 'installation');
  }
  const database = await open();
  if (args.length === 0) {
    write(`${await installationOf(database)}\n`);
    return SUCCESS;
  }
  const hosts = await readRunningHosts(database.reader, database.clock.now());
  if (hosts.length > 0) {
    writeError(
      `Instances are running on ${hosts.join(', ')}: stop them first. One that was killed counts as running for 30 s.\n`,
    );
    return FAILURE;
  }
  const before = await installationOf(database);
  write(`This installation is now ${await renewInstallation(database)}. Before, it was ${before}.\n`);
  return SUCCESS;
}
