import { COMMAND_LINE } from '../audit/actor.ts';
import { checkClientInput } from '../identity/clients/client-input.ts';
import type { ApiClient, ClientService } from '../identity/clients/client-service.ts';
import { formatScope, SCOPES } from '../identity/scopes.ts';
import { formatDateTime, formatOptionalDateTime } from '../time/date-time.ts';
import { SUCCESS } from './exit.ts';
import {
  type CommandGroup,
  type Given,
  JSON_OPTION,
  needed,
  type Output,
  runSubcommand,
  TEXT_OPTION,
  toJson,
  withOptionsChecked,
  writeList,
  writeMissing,
} from './subcommands.ts';

const HELP = `Usage: coursewire client <command>

Creates and manages API clients: the ids and secrets with which programs get access tokens.

Commands:
  create --name NAME --email EMAIL [--scope "SCOPE …"] [--json]
  list [--json]
  delete CLIENT_ID
  enable CLIENT_ID
  disable CLIENT_ID

"coursewire client <command> --help" explains a command.
`;

const CREATE_HELP = `Usage: coursewire client create --name NAME --email EMAIL [--scope "SCOPE …"] [--json]

Creates an API client. Its secret is shown only once, here.

Options:
  --name NAME        a name that people recognize: 1 to 200 characters
  --email EMAIL      who to contact about it; sent as "user" in messages about what the client does
  --scope "SCOPE …"  what the client may do, space-separated (default: all scopes; --scope "" means none)
  --json             print {"client_id", "client_secret", "name", "email", "scope"}
  --help             show this text

Scopes: ${SCOPES.join(' ')}
`;

const LIST_HELP = `Usage: coursewire client list [--json]

Lists the API clients, oldest first.

Options:
  --json  print an array of {"client_id", "name", "email", "scope", "enabled", "created_dt", "last_used_dt"}
  --help  show this text
`;

const DELETE_HELP = `Usage: coursewire client delete CLIENT_ID

Deletes an API client. Its access tokens stop working immediately.

Options:
  --help  show this text
`;

const ENABLE_HELP = `Usage: coursewire client enable CLIENT_ID

Enables a disabled API client, so that it can get access tokens again.

Options:
  --help  show this text
`;

const DISABLE_HELP = `Usage: coursewire client disable CLIENT_ID

Disables an API client until it is enabled. Its access tokens stop working immediately and permanently.

Options:
  --help  show this text
`;

/** Dependencies of the command. */
export interface ClientCommandContext extends Output {
  /** Opens what the command works on. Not called for help or wrong usage. */
  clients: () => Promise<ClientService>;
}

const GROUP: CommandGroup<ClientCommandContext> = {
  name: 'client',
  help: HELP,
  commands: new Map([
    [
      'create',
      {
        help: CREATE_HELP,
        options: { name: TEXT_OPTION, email: TEXT_OPTION, scope: TEXT_OPTION, ...JSON_OPTION },
        positional: null,
        run: create,
      },
    ],
    ['list', { help: LIST_HELP, options: JSON_OPTION, positional: null, run: list }],
    ['delete', { help: DELETE_HELP, options: {}, positional: 'CLIENT_ID', run: remove }],
    ['enable', { help: ENABLE_HELP, options: {}, positional: 'CLIENT_ID', run: enable }],
    ['disable', { help: DISABLE_HELP, options: {}, positional: 'CLIENT_ID', run: disable }],
  ]),
};

/**
 * Runs `coursewire client …`; `args` are what follow `client`. Returns the exit code: 0 if it was done, 1 if
 * the client does not exist, 2 if the arguments are wrong.
 * @throws {DatabaseUnavailableError} when the database cannot be read or written.
 */
export async function runClientCommand(
  args: readonly string[],
  context: ClientCommandContext,
): Promise<number> {
  return await runSubcommand(GROUP, args, context);
}

async function create({ clients, write }: ClientCommandContext, given: Given): Promise<number> {
  const { name, email } = needed(given, 'name', 'email');
  const scopes = given.text('scope')?.split(/\s+/).filter(Boolean) ?? SCOPES;
  const { client, clientSecret } = await withOptionsChecked(async () => {
    checkClientInput({ name, email, scopes });
    return await (await clients()).create({ name, email, scopes }, COMMAND_LINE);
  });
  const scope = formatScope(client.scopes);
  if (given.flag('json')) {
    write(
      toJson({ client_id: client.clientId, client_secret: clientSecret, name, email: client.email, scope }),
    );
    return SUCCESS;
  }
  write(
    `The API client ${JSON.stringify(name)} was created.\n\n` +
      `  client_id      ${client.clientId}\n` +
      `  client_secret  ${clientSecret}\n` +
      `  email          ${client.email}\n` +
      `  scope          ${scope || '(none)'}\n\n` +
      'The secret is shown only once: save it now.\n',
  );
  return SUCCESS;
}

async function list(context: ClientCommandContext, given: Given): Promise<number> {
  const all = await (await context.clients()).list();
  return writeList(context, given, all.map(toRecord), {
    none: 'There are no API clients. Create one with "coursewire client create".\n',
    columns: ['CLIENT_ID', 'NAME', 'EMAIL', 'STATE', 'LAST USED', 'SCOPE'],
    cells: ({ client_id, name, email, scope, enabled, last_used_dt }) => [
      client_id,
      name,
      email,
      enabled ? 'enabled' : 'disabled',
      last_used_dt ?? 'never',
      scope || '(none)',
    ],
  });
}

async function remove(context: ClientCommandContext, { positional: clientId }: Given): Promise<number> {
  return reportChange(
    context,
    clientId,
    await (await context.clients()).delete(clientId, COMMAND_LINE),
    'deleted. Its tokens no longer work',
  );
}

async function enable(context: ClientCommandContext, { positional: clientId }: Given): Promise<number> {
  return reportChange(
    context,
    clientId,
    await (await context.clients()).setEnabled(clientId, true, COMMAND_LINE),
    'enabled',
  );
}

async function disable(context: ClientCommandContext, { positional: clientId }: Given): Promise<number> {
  const done = await (await context.clients()).setEnabled(clientId, false, COMMAND_LINE);
  return reportChange(context, clientId, done, 'disabled. Its tokens no longer work');
}

function reportChange(context: ClientCommandContext, clientId: string, done: boolean, what: string): number {
  if (!done) return writeMissing(context, 'API client', clientId, GROUP.name);
  context.write(`The API client ${clientId} is ${what}.\n`);
  return SUCCESS;
}

function toRecord(client: ApiClient) {
  return {
    client_id: client.clientId,
    name: client.name,
    email: client.email,
    scope: formatScope(client.scopes),
    enabled: client.enabled,
    created_dt: formatDateTime(client.createdAt),
    last_used_dt: formatOptionalDateTime(client.lastUsedAt),
  };
}
