import { COMMAND_LINE } from '../audit/actor.ts';
import type { Administrator } from '../identity/administrators/administrator.ts';
import { checkAdministratorInput } from '../identity/administrators/administrator-input.ts';
import { toAdministratorRecord } from '../identity/administrators/administrator-schemas.ts';
import type { AdministratorService } from '../identity/administrators/administrator-service.ts';
import { MIN_PASSWORD_CHARACTERS } from '../identity/administrators/password-length.ts';
import { ROLES } from '../identity/administrators/roles.ts';
import { type IssuedLink, setupUrl } from '../identity/administrators/setup-links.ts';
import { ProblemError } from '../problems/problem.ts';
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
  writeFailure,
  writeList,
  writeMissing,
} from './subcommands.ts';

const HELP = `Usage: coursewire user <command>

Creates and manages administrators: the people who sign in to the admin UI.

Commands:
  create --email EMAIL --role ROLE [--name NAME] [--password-stdin] [--json]
  list [--json]
  delete EMAIL
  reset-password EMAIL [--json]

"coursewire user <command> --help" explains a command.
`;

const CREATE_HELP = `Usage: coursewire user create --email EMAIL --role ROLE [--name NAME] [--password-stdin] [--json]

Creates an administrator and prints a one-time link with which the person sets a password.

Options:
  --email EMAIL     used to sign in; sent as "user" in messages about what the administrator does
  --role ROLE       ${ROLES.join(', ')}; an integrator manages webhooks and sees no content; a viewer
                    reads content, webhooks and events, and changes nothing
  --name NAME       1 to 200 characters (default: the person enters it after opening the link)
  --password-stdin  read the password from standard input (at least ${MIN_PASSWORD_CHARACTERS} characters) instead of creating a link
  --json            print the administrator, with "invitation_url" and "invitation_expires_dt" if a link was created
  --help            show this text
`;

const LIST_HELP = `Usage: coursewire user list [--json]

Lists the administrators, oldest first.

Options:
  --json  print an array of {"id", "email", "name", "role", "enabled", "invited", "created_dt", "last_sign_in_dt"}
  --help  show this text
`;

const DELETE_HELP = `Usage: coursewire user delete EMAIL

Deletes an administrator. All their sessions end immediately. The last enabled admin cannot be deleted.

Options:
  --help  show this text
`;

const RESET_HELP = `Usage: coursewire user reset-password EMAIL [--json]

Prints a one-time link with which an administrator sets a new password. The current password works until then. Setting the
new one ends all sessions. Earlier links stop working.

Options:
  --json  print {"invitation_url", "invitation_expires_dt"}
  --help  show this text
`;

/** Dependencies of the command. */
export interface UserCommandContext extends Output {
  /** Opens what the command works on. Not called for help or wrong usage. */
  administrators: () => Promise<AdministratorService>;
  /** The public address of the service, with which links start. */
  baseUrl: () => string;
  /** Reads a password from standard input. */
  readPassword: () => Promise<string>;
}

const GROUP: CommandGroup<UserCommandContext> = {
  name: 'user',
  help: HELP,
  commands: new Map([
    [
      'create',
      {
        help: CREATE_HELP,
        options: {
          email: TEXT_OPTION,
          role: TEXT_OPTION,
          name: TEXT_OPTION,
          'password-stdin': { type: 'boolean' },
          ...JSON_OPTION,
        },
        positional: null,
        run: create,
      },
    ],
    ['list', { help: LIST_HELP, options: JSON_OPTION, positional: null, run: list }],
    ['delete', { help: DELETE_HELP, options: {}, positional: 'EMAIL', run: remove }],
    ['reset-password', { help: RESET_HELP, options: JSON_OPTION, positional: 'EMAIL', run: resetPassword }],
  ]),
};

/**
 * Runs `coursewire user …`; `args` are what follow `user`. Returns the exit code: 0 if it was done, 1 if the
 * administrator does not exist or it may not be done, 2 if the arguments are wrong.
 * @throws {DatabaseUnavailableError} when the database cannot be read or written.
 */
export async function runUserCommand(args: readonly string[], context: UserCommandContext): Promise<number> {
  return await runSubcommand(GROUP, args, context);
}

async function create(context: UserCommandContext, given: Given): Promise<number> {
  const { email, role } = needed(given, 'email', 'role');
  const name = given.text('name');
  const advice = ` For a link with which they set a new password, run "coursewire user reset-password ${email}".`;
  const work = async () => {
    if (given.flag('password-stdin')) {
      const password = await context.readPassword();
      const made = await withOptionsChecked(async () => {
        const input = { email, role, name: name ?? email };
        checkAdministratorInput({ ...input, password: { value: password, email, member: 'password-stdin' } });
        return await (await context.administrators()).create({ ...input, password }, COMMAND_LINE);
      });
      if (given.flag('json')) context.write(toJson(toAdministratorRecord(made)));
      else context.write(`The administrator ${made.email} (${made.role}) was created and can sign in.\n`);
      return;
    }
    const { administrator, earlier, link } = await withOptionsChecked(async () => {
      const input = { email, role, ...(name === undefined ? {} : { name }) };
      checkAdministratorInput(input);
      return await (await context.administrators()).invite(input, COMMAND_LINE);
    });
    const members = linkMembers(context, link);
    if (given.flag('json')) {
      context.write(toJson({ ...toAdministratorRecord(administrator), ...members }));
    } else {
      context.write(invitationText(administrator, earlier));
      context.write(linkText(members));
    }
  };
  return await unlessRefused(context, work, advice);
}

async function list(context: UserCommandContext, given: Given): Promise<number> {
  const all = await (await context.administrators()).list();
  return writeList(context, given, all.map(toAdministratorRecord), {
    none: 'There are no administrators. Create one with "coursewire user create".\n',
    columns: ['EMAIL', 'NAME', 'ROLE', 'STATE', 'LAST SIGN-IN'],
    cells: ({ email, name, role, enabled, invited, last_sign_in_dt }) => [
      email,
      name ?? '(not set up yet)',
      role,
      !enabled ? 'disabled' : invited ? 'invited' : 'enabled',
      last_sign_in_dt ?? 'never',
    ],
  });
}

async function remove(context: UserCommandContext, { positional: email }: Given): Promise<number> {
  return await withAdministrator(context, email, async (administrators, { id }) => {
    await administrators.delete(id, COMMAND_LINE);
    context.write(`The administrator ${email} was deleted. All their sessions have ended.\n`);
  });
}

async function resetPassword(context: UserCommandContext, given: Given): Promise<number> {
  return await withAdministrator(context, given.positional, async (administrators, { id }) => {
    const members = linkMembers(context, await administrators.issueLink(id, COMMAND_LINE));
    context.write(given.flag('json') ? toJson(members) : linkText(members));
  });
}

async function withAdministrator(
  context: UserCommandContext,
  email: string,
  work: (administrators: AdministratorService, found: Administrator) => Promise<void>,
): Promise<number> {
  const administrators = await context.administrators();
  const found = await administrators.findByEmail(email);
  if (found === null) return writeMissing(context, 'administrator', email, GROUP.name);
  return await unlessRefused(context, () => work(administrators, found));
}

/** Violated rules of administrators are reported with their own messages. */
async function unlessRefused(
  context: UserCommandContext,
  work: () => Promise<void>,
  advice = '',
): Promise<number> {
  try {
    await work();
    return SUCCESS;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'conflict') throw error;
    return writeFailure(context, `${error.message}.${advice}\n`);
  }
}

function invitationText({ email, role }: Administrator, earlier: Administrator | null): string {
  if (earlier === null) return `The administrator ${email} (${role}) was created.\n`;
  const changes = [
    earlier.role === role ? '' : ` The role was changed from ${earlier.role} to ${role}.`,
    earlier.enabled ? '' : ' The administrator was disabled, and is now enabled.',
  ].join('');
  return `The administrator ${email} (${role}) had been invited already.${changes} The earlier link no longer works.\n`;
}

function linkMembers(context: UserCommandContext, { token, expiresAt }: IssuedLink) {
  return {
    invitation_url: setupUrl(context.baseUrl(), token),
    invitation_expires_dt: new Date(expiresAt).toISOString(),
  };
}

function linkText({ invitation_url: url, invitation_expires_dt: until }: ReturnType<typeof linkMembers>) {
  return `\n  ${url}\n\nAnyone who opens this link can set the password. It works once, until ${until}.\n`;
}
