import { constants } from 'node:os';
import { LAUNCH_LIFETIME_MS } from '../content/registrations/launch-tokens.ts';
import { isDamagedFile } from '../database/damage.ts';
import { installationOf } from '../database/installation.ts';
import { administratorServices } from '../identity/administrators/administration.ts';
import { ClientService } from '../identity/clients/client-service.ts';
import { censorText } from '../observability/censor.ts';
import { createLogs } from '../observability/log.ts';
import { openTracing } from '../observability/tracing/open-tracing.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import { messageOf } from '../problems/error-message.ts';
import { baseUrlOf } from '../settings/base-url.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { quote } from '../settings/parser.ts';
import type { Settings } from '../settings/settings-table.ts';
import { sqsPlaceOf } from '../settings/sqs-place.ts';
import { readTracingEnvironment } from '../settings/tracing-environment.ts';
import { openStorage, type Storage } from '../storage.ts';
import { SECOND_MS } from '../time/units.ts';
import { runBackupCommand } from './backup-command.ts';
import { runClientCommand } from './client-command.ts';
import { runDatabaseCommand } from './database-command.ts';
import { FAILURE, SIGNALLED, SUCCESS, UsageError, WRONG_USE } from './exit.ts';
import { runInstallationCommand } from './installation-command.ts';
import { runSecretsCommand } from './secrets-command.ts';
import { writeErrors, writeOutput } from './standard-streams.ts';
import { noteText, type Output } from './subcommands.ts';
import { runUserCommand } from './user-command.ts';
import { readVersion } from './version.ts';

const USAGE = `Usage: coursewire [--config FILE] COMMAND

Commands:
  serve           serve the API and deliver webhooks until SIGTERM, SIGINT or SIGHUP
  client …        create, list, disable, enable and delete API clients; see: coursewire client --help
  user …          create, list and delete administrators, reset passwords; see: coursewire user --help
  secrets …       change webhooks_auth_secret; see: coursewire secrets --help
  queues …        create and check the queues on Amazon SQS; see: coursewire queues --help
  installation …  show the id of the installation, or give a copy a new one; see: coursewire installation --help
  database …      copy the embedded database to PostgreSQL, and return to it; see: coursewire database --help
  backup …        back up the embedded data while the service is running; see: coursewire backup --help

Options:
  --config FILE   read settings from YAML; environment variables override them (upper case names)
  --version       show the version
  --help          show this text

Settings are described in docs/settings.md.
`;

const UNEXPECTED_FAILURE = 'the service ends because of an unexpected failure';
const DAMAGE_ADVICE = '. The database is damaged: see "Data is damaged or lost" in docs/troubleshooting.md';
/** SIGHUP is what a closed terminal sends. Node ends the process for it even under nohup, unless there is a handler. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** A signal within this time after the first one belongs to it. */
const REPEATED_SIGNAL_MS = 1_000;
const MAX_PASSWORD_INPUT = 4_096;

/** The environment and the output streams of the command line. */
export interface CommandIo extends Output {
  readonly env: NodeJS.ProcessEnv;
}

const PROCESS_IO: CommandIo = {
  env: process.env,
  write: writeOutput,
  writeError: writeErrors,
};

/** A call of a command, with the settings that its option `--config` and its environment give. */
interface Call extends CommandIo {
  readonly settings: () => Settings;
}

/** Runs the program with its arguments and returns its exit code. */
export async function runCommandLine(args: readonly string[], io: CommandIo = PROCESS_IO): Promise<number> {
  const { write, writeError } = io;
  try {
    const { configFile, rest } = takeConfigOption(args);
    const call: Call = { ...io, settings: settingsReader(io.env, configFile) };
    const [command, ...commandArgs] = rest;
    switch (command) {
      case undefined:
        writeError(USAGE);
        return WRONG_USE;
      case '--help':
      case '-h':
        write(USAGE);
        return SUCCESS;
      case '--version':
        write(`${readVersion()}\n`);
        return SUCCESS;
      case 'serve':
        return await serve(call, commandArgs);
      case 'client':
        return await manageClients(call, commandArgs);
      case 'user':
        return await manageUsers(call, commandArgs);
      case 'secrets':
        return await manageSecrets(call, commandArgs);
      case 'queues':
        return await manageQueues(call, commandArgs);
      case 'installation':
        return await manageInstallation(call, commandArgs);
      case 'database':
        return await runDatabaseCommand(commandArgs, call);
      case 'backup':
        return await runBackupCommand(commandArgs, call);
      default:
        throw new UsageError(`unknown command ${quote(command)}`);
    }
  } catch (error) {
    writeError(`coursewire: ${messageOf(error)}${isDamagedFile(error) ? DAMAGE_ADVICE : ''}\n`);
    if (!(error instanceof UsageError)) return FAILURE;
    writeError('See: coursewire --help\n');
    return WRONG_USE;
  }
}

/** `--config` applies to every command, so it is removed before the command reads the rest. */
function takeConfigOption(args: readonly string[]): { configFile: string | undefined; rest: string[] } {
  const rest = [...args];
  const at = rest.findIndex((arg) => arg === '--config' || arg.startsWith('--config='));
  if (at === -1) return { configFile: undefined, rest };
  const [option = ''] = rest.splice(at, 1);
  const configFile = option === '--config' ? rest.splice(at, 1)[0] : option.slice('--config='.length);
  if (configFile === undefined || configFile === '') throw new UsageError('--config requires a file name');
  return { configFile, rest };
}

async function serve(call: Call, args: readonly string[]): Promise<number> {
  // Loaded on demand, because it is most of the program, and other commands do not need it. Also before help is shown, because
  // that is how the build of the image fills its cache of compiled modules.
  const { startService } = await import('../service.ts');
  if (args.includes('--help') || args.includes('-h')) {
    call.write(USAGE);
    return SUCCESS;
  }
  if (args.length > 0) throw new UsageError(`serve has no argument ${quote(args[0])}`);
  const settings = call.settings();
  const traces = readTracingEnvironment(call.env);
  let tracing: Tracing | null = null;
  const logs = createLogs({
    level: settings.log_level,
    customLevels: settings.custom_log_levels,
    ...(traces.settings === null ? {} : { traceFields: () => tracing?.logFields() }),
  });
  for (const text of traces.warnings) logs.for('Tracing').warn(text);
  const stopping = new AbortController();
  const stopped = stopSignal().then(() => stopping.abort());
  const end = (error: unknown) => {
    const log = logs.for('Service');
    if (log.isEnabled('fatal')) log.fatal(UNEXPECTED_FAILURE, { error });
    else call.writeError(`coursewire: ${UNEXPECTED_FAILURE}: ${stackOf(error)}\n`);
    process.exit(FAILURE);
  };
  process.on('uncaughtException', end);
  const version = readVersion();
  await using stack = new AsyncDisposableStack();
  // The reason of a failed start is written to standard error next. People look for it in the last line.
  stack.defer(() => logs.flush());
  if (traces.settings !== null) {
    tracing = stack.use(await openTracing(traces.settings, { version, log: logs.for('Tracing') }));
  }
  const announce = call.writeError;
  const { signal } = stopping;
  try {
    stack.use(await startService(settings, { logs, version, announce, tracing, onLost: end, signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
    // What was interrupted may fail in its own way.
    const found = error === signal.reason ? {} : { error };
    logs.for('Service').info('stopped before the start was complete', found);
    return SUCCESS;
  }
  await stopped;
  return SUCCESS;
}

/** What a thrown value is, and where it was thrown, without credentials. */
function stackOf(thrown: unknown): string {
  return censorText((thrown instanceof Error && thrown.stack) || String(thrown));
}

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP. Another one ends the process immediately, but not within a second:
 * Ctrl-C under npm arrives twice, from the terminal and from npm, and means one orderly shutdown.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt === null) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt >= REPEATED_SIGNAL_MS) {
        // By the signal itself, so that whoever started the process sees what ended it. The kernel ignores signals without a
        // handler if they are for the first process of a container.
        if (process.pid === 1) process.exit(SIGNALLED + constants.signals[signal]);
        process.off(signal, onSignal);
        process.kill(process.pid, signal);
      }
    };
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  });
}

async function manageUsers(call: Call, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runUserCommand(args, {
    ...call,
    administrators: async () => {
      const settings = call.settings();
      const { database } = stack.use(await openFor(call, args));
      return administratorServices({
        database,
        log: createLogs({ level: 'silent', customLevels: {} }).for('AdministratorService'),
        sessionIdleMs: settings.session_idle_timeout * SECOND_MS,
        sessionLifetimeMs: settings.session_lifetime * SECOND_MS,
        now: () => database.clock.now(),
      }).administrators;
    },
    baseUrl: () => baseUrlOf(call.settings()),
    readPassword: () => {
      if (process.stdin.isTTY)
        call.writeError('Type the password, which is shown, then press Enter and Ctrl-D.\n');
      return readPasswordFromInput();
    },
  });
}

/** Standard input without the final line end that editors and `echo` add. */
async function readPasswordFromInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_PASSWORD_INPUT) throw new UsageError('Standard input is too long for a password.');
  }
  return text.replace(/\r?\n$/, '');
}

async function manageQueues(call: Call, args: readonly string[]): Promise<number> {
  // Loaded on demand, because the AWS library is large.
  const { runQueuesCommand } = await import('./queues-command.ts');
  await using stack = new AsyncDisposableStack();
  return await runQueuesCommand(args, {
    ...call,
    settings: () => {
      const settings = call.settings();
      return { place: sqsPlaceOf(settings), maxReceives: settings.message_queue_max_receives };
    },
    installation: async () => {
      const { database } = stack.use(await openFor(call, args));
      return await installationOf(database);
    },
  });
}

async function manageInstallation(call: Call, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runInstallationCommand(args, {
    ...call,
    open: async () => {
      const exclusive = args.length > 0;
      return stack.use(await openFor(call, args, { exclusive })).database;
    },
  });
}

async function manageClients(call: Call, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runClientCommand(args, {
    ...call,
    clients: async () => {
      const { database } = stack.use(await openFor(call, args));
      return new ClientService({ database, now: () => database.clock.now() });
    },
  });
}

async function manageSecrets(call: Call, args: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  return await runSecretsCommand(args, {
    ...call,
    open: async () => stack.use(await openFor(call, args)),
    tokenLifetimeMs: () => {
      const { access_token_lifetime, launch_lifetime } = call.settings();
      return Math.max(Math.max(access_token_lifetime, launch_lifetime) * SECOND_MS, LAUNCH_LIFETIME_MS);
    },
  });
}

/** The first arguments of the commands that change nothing: `client list`, `queues check` and `installation`. */
const READING: readonly (string | undefined)[] = ['list', 'check', undefined];

/**
 * Opens the storage for a command. Only those that create something (`client create`) may be the first to use a data
 * folder. `args` are what follows the name of the command.
 */
async function openFor(call: Call, args: readonly string[], { exclusive = false } = {}): Promise<Storage> {
  return await openStorage(call.settings(), {
    exclusive,
    creates: args[0] === 'create',
    command: { readsOnly: READING.includes(args[0]), remark: (text) => call.writeError(noteText(text)) },
    now: Date.now,
  });
}

/** Reads the settings when they are first needed, and only once: a file that is a pipe can be read only once. */
function settingsReader(env: NodeJS.ProcessEnv, configFile: string | undefined): () => Settings {
  let settings: Settings | null = null;
  return () => {
    settings ??= loadSettings({ env, ...(configFile === undefined ? {} : { configFile }) });
    return settings;
  };
}
