import { LAUNCH_LIFETIME_MS } from '../content/registrations/launch-tokens.ts';
import { openCopyDatabases } from '../database/copying/open-databases.ts';
import { namedPlaces } from '../database/data-folder.ts';
import { installationOf } from '../database/installation.ts';
import { administratorServices } from '../identity/administrators/administration.ts';
import { ClientService } from '../identity/clients/client-service.ts';
import { createLogs } from '../observability/log.ts';
import { deleteDoneMessages } from '../queue/lines/done-messages.ts';
import { startService } from '../service.ts';
import { baseUrlOf } from '../settings/base-url.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { sqsPlaceOf } from '../settings/sqs-place.ts';
import { openStorage } from '../storage.ts';
import { runBackupCommand } from './backup-command.ts';
import { runClientCommand } from './client-command.ts';
import { runDatabaseCommand } from './database-command.ts';
import { runInstallationCommand } from './installation-command.ts';
import { runSecretsCommand } from './secrets-command.ts';
import { runUserCommand } from './user-command.ts';
import { readVersion } from './version.ts';

const USAGE = `Usage: coursewire [--config FILE] COMMAND

Commands:
  serve           serves the API and delivers webhooks until SIGTERM or SIGINT
  client …        makes, lists, disables and deletes API clients; see: coursewire client --help
  user …          makes, lists and deletes administrators; see: coursewire user --help
  secrets …       changes webhooks_auth_secret; see: coursewire secrets --help
  queues …        creates and checks the queues on Amazon SQS; see: coursewire queues --help
  installation …  shows the installation's id, or gives a copy its own; see: coursewire installation --help
  database …      copies the embedded database to PostgreSQL; see: coursewire database --help
  backup …        copies the embedded service's data beside it; see: coursewire backup --help

Options:
  --config FILE   settings in YAML; environment variables of the same names in upper case win
  --version       writes the version
  --help          writes this text

Settings are described in docs/settings.md.
`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** Signals that come so soon after the first belong to it. */
const REPEATED_SIGNAL_MS = 1_000;
const MS_PER_SECOND = 1_000;
const MAX_PASSWORD_INPUT = 4_096;

/** Runs the program with its arguments and answers its exit code. */
export async function runCommandLine(args: string[]): Promise<number> {
  try {
    const { configFile, rest } = takeConfigOption(args);
    const [command, ...commandArgs] = rest;
    switch (command) {
      case undefined:
        process.stderr.write(USAGE);
        return EXIT_USAGE;
      case '--help':
      case '-h':
        process.stdout.write(USAGE);
        return 0;
      case '--version':
        process.stdout.write(`${readVersion()}\n`);
        return 0;
      case 'serve':
        return await serve(configFile, commandArgs);
      case 'client':
        return await manageClients(configFile, commandArgs);
      case 'user':
        return await manageUsers(configFile, commandArgs);
      case 'secrets':
        return await manageSecrets(configFile, commandArgs);
      case 'queues':
        return await manageQueues(configFile, commandArgs);
      case 'installation':
        return await manageInstallation(configFile, commandArgs);
      case 'database':
        return await manageDatabase(configFile, commandArgs);
      case 'backup':
        return await makeBackup(configFile, commandArgs);
      default:
        throw new UsageError(`unknown command ${JSON.stringify(command)}`);
    }
  } catch (error) {
    process.stderr.write(`coursewire: ${error instanceof Error ? error.message : String(error)}\n`);
    if (!(error instanceof UsageError)) return EXIT_FAILED;
    process.stderr.write('See: coursewire --help\n');
    return EXIT_USAGE;
  }
}

/** The arguments are not what the program takes. */
class UsageError extends Error {
  override name = 'UsageError';
}

/** `--config` goes with every command, so it is taken out before the command reads the rest. */
function takeConfigOption(args: readonly string[]): { configFile: string | undefined; rest: string[] } {
  const rest = [...args];
  const at = rest.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  if (at === -1) return { configFile: undefined, rest };
  const [option = ''] = rest.splice(at, 1);
  const configFile = option === '--config' ? rest.splice(at, 1)[0] : option.slice('--config='.length);
  if (configFile === undefined || configFile === '') throw new UsageError('--config requires a file name');
  return { configFile, rest };
}

async function serve(configFile: string | undefined, args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (args.length > 0) throw new UsageError(`serve has no argument ${JSON.stringify(args[0])}`);
  const settings = readSettings(configFile);
  const logs = createLogs({ level: settings.log_level, customLevels: settings.custom_log_levels });
  const stopped = stopSignal();
  process.on('uncaughtException', (error) => {
    logs.for('Service').fatal('the service ends because of an unexpected failure', { error });
    process.exit(EXIT_FAILED);
  });
  await using _service = await startService(settings, {
    logs,
    version: readVersion(),
    announce: (text) => void process.stderr.write(text),
  });
  await stopped;
  return 0;
}

/**
 * Resolves at the first SIGTERM or SIGINT. A further one ends the process at once, as a person expects, but not within
 * a second: Ctrl-C under npm arrives twice, from the terminal and from npm, and means one orderly stop.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt === null) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt >= REPEATED_SIGNAL_MS) {
        // By the signal itself, so that whoever started the process sees what ended it.
        process.off(signal, onSignal);
        process.kill(process.pid, signal);
      }
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  });
}

async function manageUsers(configFile: string | undefined, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runUserCommand(args, {
    administrators: async () => {
      const settings = readSettings(configFile);
      const { database } = stack.use(await openStorage(settings, { exclusive: false, now: Date.now }));
      return administratorServices({
        database,
        log: createLogs({ level: 'silent', customLevels: {} }).for('AdministratorService'),
        sessionIdleMs: settings.session_idle_timeout * MS_PER_SECOND,
        sessionLifetimeMs: settings.session_lifetime * MS_PER_SECOND,
        now: () => database.clock.now(),
      }).administrators;
    },
    baseUrl: () => baseUrlOf(readSettings(configFile)),
    readPassword: readPasswordFromInput,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

/** Standard input without the line end that editors and `echo` put behind it. */
async function readPasswordFromInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_PASSWORD_INPUT) throw new UsageError('standard input is too long for a password');
  }
  return text.replace(/\r?\n$/, '');
}

async function manageQueues(configFile: string | undefined, args: readonly string[]): Promise<number> {
  // Loaded when it is asked for: the library of AWS is large.
  const { runQueuesCommand } = await import('./queues-command.ts');
  await using stack = new AsyncDisposableStack();
  return await runQueuesCommand(args, {
    settings: () => {
      const settings = readSettings(configFile);
      return { place: sqsPlaceOf(settings), maxReceives: settings.message_queue_max_receives };
    },
    installation: async () => {
      const settings = readSettings(configFile);
      const { database } = stack.use(await openStorage(settings, { exclusive: false, now: Date.now }));
      return await installationOf(database);
    },
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

async function manageInstallation(configFile: string | undefined, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runInstallationCommand(args, {
    open: async () => {
      const exclusive = args.length > 0;
      return stack.use(await openStorage(readSettings(configFile), { exclusive, now: Date.now })).database;
    },
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

async function manageClients(configFile: string | undefined, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runClientCommand(args, {
    clients: async () => {
      const storage = stack.use(
        await openStorage(readSettings(configFile), { exclusive: false, now: Date.now }),
      );
      const { database } = storage;
      return new ClientService({ database, now: () => database.clock.now() });
    },
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

async function manageSecrets(configFile: string | undefined, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runSecretsCommand(args, {
    open: async () =>
      stack.use(await openStorage(readSettings(configFile), { exclusive: false, now: Date.now })),
    tokenLifetimeMs: () =>
      Math.max(readSettings(configFile).access_token_lifetime * MS_PER_SECOND, LAUNCH_LIFETIME_MS),
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

async function manageDatabase(configFile: string | undefined, args: readonly string[]): Promise<number> {
  return await runDatabaseCommand(args, {
    databaseUrl: () => readSettings(configFile).database_url,
    dataDir: () => readSettings(configFile).data_dir,
    open: (targetUrl) => openCopyDatabases(readSettings(configFile).data_dir, targetUrl, Date.now),
    // On PostgreSQL nobody looks whether a message is done with: it is deleted then.
    finish: deleteDoneMessages,
    now: Date.now,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

async function makeBackup(configFile: string | undefined, args: readonly string[]): Promise<number> {
  return await runBackupCommand(args, {
    settings: () => readSettings(configFile),
    dataFolder: () => namedPlaces(readSettings(configFile).data_dir),
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  });
}

function readSettings(configFile: string | undefined) {
  return loadSettings({ env: process.env, ...(configFile === undefined ? {} : { configFile }) });
}
