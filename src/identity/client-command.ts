import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { ProblemError } from '../problems/problem.ts';
import type { ApiClient, ClientService } from './client-service.ts';
import { formatScope, SCOPES } from './scopes.ts';

const SUCCESS = 0;
const FAILURE = 1;
const WRONG_USE = 2;

const HELP = `Usage: coursewire client <command>

Makes and manages API clients: the ids and secrets with which programs get access tokens.

Commands:
  create --name NAME --email EMAIL [--scope "SCOPE …"] [--json]
  list [--json]
  delete CLIENT_ID
  enable CLIENT_ID
  disable CLIENT_ID

"coursewire client <command> --help" tells more about a command.
`;

const CREATE_HELP = `Usage: coursewire client create --name NAME --email EMAIL [--scope "SCOPE …"] [--json]

Makes an API client. Its secret is shown once, here, and cannot be shown again.

Options:
  --name NAME        what the client is, for people: 1 to 200 characters
  --email EMAIL      stands as "user" in the messages of events that the client causes
  --scope "SCOPE …"  what the client may do, space-separated; all scopes when left out, none with --scope ""
  --json             writes {"client_id", "client_secret", "name", "email", "scope"}
  --help             writes this text

Scopes: ${SCOPES.join(' ')}
`;

const LIST_HELP = `Usage: coursewire client list [--json]

Lists the API clients, oldest first.

Options:
  --json  writes an array of {"client_id", "name", "email", "scope", "enabled", "created_dt", "last_used_dt"}
  --help  writes this text
`;

const DELETE_HELP = `Usage: coursewire client delete CLIENT_ID

Deletes an API client. Its access tokens end at once.

Options:
  --help  writes this text
`;

const ENABLE_HELP = `Usage: coursewire client enable CLIENT_ID

Lets a disabled API client ask for access tokens again.

Options:
  --help  writes this text
`;

const DISABLE_HELP = `Usage: coursewire client disable CLIENT_ID

Disables an API client until it is enabled. Its access tokens end at once and for good.

Options:
  --help  writes this text
`;

/** What the command works with. */
export interface ClientCommandContext {
  /** Opens what the command works on; not called for help or wrong use. */
  clients: () => Promise<ClientService>;
  /** Takes what was asked for. */
  write: (text: string) => void;
  /** Takes what went wrong; as `write` when left out. */
  writeError?: (text: string) => void;
}

interface Command {
  help: string;
  options: ParseArgsOptionsConfig;
  takesClientId: boolean;
  run(context: ClientCommandContext, given: Given): Promise<number>;
}

/** The arguments of a command, checked for form. */
interface Given {
  text(option: string): string | undefined;
  json: boolean;
  clientId: string;
}

const HELP_OPTION = { help: { type: 'boolean', short: 'h' } } as const;
const JSON_OPTION = { json: { type: 'boolean' } } as const;
const TEXT = { type: 'string' } as const;

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'create',
    {
      help: CREATE_HELP,
      options: { name: TEXT, email: TEXT, scope: TEXT, ...JSON_OPTION },
      takesClientId: false,
      run: create,
    },
  ],
  ['list', { help: LIST_HELP, options: JSON_OPTION, takesClientId: false, run: list }],
  ['delete', { help: DELETE_HELP, options: {}, takesClientId: true, run: remove }],
  ['enable', { help: ENABLE_HELP, options: {}, takesClientId: true, run: enable }],
  ['disable', { help: DISABLE_HELP, options: {}, takesClientId: true, run: disable }],
]);

/** The arguments are not what the command takes. The message says what is wrong. */
class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Runs `coursewire client …`; `args` are what follows `client`. Answers the exit code: 0 when it was done, 1
 * when there is no such client, 2 when the arguments are wrong.
 * @throws {DatabaseUnavailableError} when the database cannot be read or written.
 */
export async function runClientCommand(
  args: readonly string[],
  context: ClientCommandContext,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h') {
    context.write(HELP);
    return SUCCESS;
  }
  try {
    const command = COMMANDS.get(name ?? '');
    if (command === undefined) throw unknownCommand(name);
    const given = parse(command, rest);
    if (given === null) {
      context.write(command.help);
      return SUCCESS;
    }
    return await command.run(context, given);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const writeError = context.writeError ?? context.write;
    const asking = COMMANDS.has(name ?? '') ? `client ${name}` : 'client';
    writeError(`${error.message}\nSee "coursewire ${asking} --help".\n`);
    return WRONG_USE;
  }
}

function unknownCommand(name: string | undefined): UsageError {
  const known = [...COMMANDS.keys()].join(', ');
  return new UsageError(
    name === undefined
      ? `A command is missing: one of ${known}.`
      : `There is no command ${JSON.stringify(name)}; there are ${known}.`,
  );
}

/** Null when help is asked for. */
function parse(command: Command, args: string[]): Given | null {
  const { values, positionals, tokens } = parseStrictly(command, args);
  if (values.help === true) return null;
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
  const repeated = names.find((name, place) => names.indexOf(name) !== place);
  if (repeated !== undefined) throw new UsageError(`--${repeated} is given more than once.`);
  const [clientId, ...extra] = command.takesClientId ? positionals : ['', ...positionals];
  if (clientId === undefined) throw new UsageError('The CLIENT_ID is missing.');
  if (extra.length > 0) throw new UsageError(`${JSON.stringify(extra[0])} is one argument too many.`);
  return {
    text: (option) => {
      const value = values[option];
      return typeof value === 'string' ? value : undefined;
    },
    json: values.json === true,
    clientId,
  };
}

function parseStrictly(command: Command, args: string[]) {
  const options: ParseArgsOptionsConfig = { ...command.options, ...HELP_OPTION };
  try {
    return parseArgs({
      args,
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

async function create({ clients, write }: ClientCommandContext, given: Given): Promise<number> {
  const name = given.text('name');
  const email = given.text('email');
  const missing = [name === undefined ? '--name' : [], email === undefined ? '--email' : []].flat();
  if (name === undefined || email === undefined) {
    throw new UsageError(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`);
  }
  const scopes = given.text('scope')?.split(/\s+/).filter(Boolean) ?? SCOPES;
  const { client, clientSecret } = await created(await clients(), { name, email, scopes });
  const scope = formatScope(client.scopes);
  if (given.json) {
    write(
      toJson({ client_id: client.clientId, client_secret: clientSecret, name, email: client.email, scope }),
    );
    return SUCCESS;
  }
  write(
    `The API client ${JSON.stringify(name)} was made.\n\n` +
      `  client_id      ${client.clientId}\n` +
      `  client_secret  ${clientSecret}\n` +
      `  email          ${client.email}\n` +
      `  scope          ${scope || '(none)'}\n\n` +
      'The secret is shown this once and cannot be shown again: keep it now.\n',
  );
  return SUCCESS;
}

async function created(clients: ClientService, input: Parameters<ClientService['create']>[0]) {
  try {
    return await clients.create(input);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.errors.length === 0) throw error;
    const faults = error.errors.map(({ pointer, detail }) => `--${pointer.slice(1)} ${detail}.`);
    throw new UsageError(faults.join('\n'), { cause: error });
  }
}

async function list({ clients, write }: ClientCommandContext, given: Given): Promise<number> {
  const all = await (await clients()).list();
  if (given.json) write(toJson(all.map(toRecord)));
  else if (all.length === 0) write('There are no API clients; "coursewire client create" makes one.\n');
  else write(toTable(all));
  return SUCCESS;
}

async function remove(context: ClientCommandContext, { clientId }: Given): Promise<number> {
  return told(
    context,
    clientId,
    await (await context.clients()).delete(clientId),
    'deleted; its tokens have ended',
  );
}

async function enable(context: ClientCommandContext, { clientId }: Given): Promise<number> {
  return told(context, clientId, await (await context.clients()).setEnabled(clientId, true), 'enabled');
}

async function disable(context: ClientCommandContext, { clientId }: Given): Promise<number> {
  const done = await (await context.clients()).setEnabled(clientId, false);
  return told(context, clientId, done, 'disabled; its tokens have ended');
}

function told(
  { write, writeError = write }: ClientCommandContext,
  clientId: string,
  done: boolean,
  what: string,
): number {
  if (done) write(`The API client ${clientId} is ${what}.\n`);
  else
    writeError(`There is no API client ${JSON.stringify(clientId)}; "coursewire client list" lists them.\n`);
  return done ? SUCCESS : FAILURE;
}

function toRecord(client: ApiClient) {
  return {
    client_id: client.clientId,
    name: client.name,
    email: client.email,
    scope: formatScope(client.scopes),
    enabled: client.enabled,
    created_dt: new Date(client.createdAt).toISOString(),
    last_used_dt: client.lastUsedAt === null ? null : new Date(client.lastUsedAt).toISOString(),
  };
}

function toTable(clients: readonly ApiClient[]): string {
  const rows = clients.map((client) => {
    const { client_id, name, email, scope, enabled, last_used_dt } = toRecord(client);
    return [
      client_id,
      name,
      email,
      enabled ? 'enabled' : 'disabled',
      last_used_dt ?? 'never',
      scope || '(none)',
    ];
  });
  const lines = [['CLIENT_ID', 'NAME', 'EMAIL', 'STATE', 'LAST USED', 'SCOPE'], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
