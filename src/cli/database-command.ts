import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type CopiedTable, type CopyOptions, copyDatabase } from '../database/copying/copy-database.ts';
import type { CopyDatabases } from '../database/copying/open-databases.ts';

const SUCCESS = 0;
const WRONG_USE = 2;

/** Rows between two progress lines. */
const TOLD_EVERY_ROWS = 50_000;
const SHOWN_CHECKSUM_DIGITS = 12;

const HELP = `Usage: coursewire database copy [--to URL]

Copies the embedded database in data_dir into an empty PostgreSQL database, completely or not at all.
If it is interrupted, the target is still empty: run it again. Stop the service on data_dir first.
Every table is read back, counted and compared before the copy is committed. The embedded database
is only migrated to this release. For the steps before and after, see docs/operating.md, "Moving to PostgreSQL".

Options:
  --to URL  postgres://user:password@host:5432/database (default: the setting database_url, which keeps
            the password out of the process list)
  --help    show this text
`;

const OPTIONS = {
  to: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

/** Dependencies of the command. */
export interface DatabaseCommandContext {
  /** The setting `database_url`. */
  databaseUrl: () => string | null;
  /** The location of the embedded database, for messages. */
  dataDir: () => string;
  /** Opens what is copied. Not called for help or wrong usage. */
  open: (targetUrl: string) => Promise<CopyDatabases>;
  /** What remains to be done before a copy is committed. */
  finish: NonNullable<CopyOptions['finish']>;
  now: () => number;
  /** Receives the output. */
  write: (text: string) => void;
  /** Receives error messages. Defaults to `write`. */
  writeError: (text: string) => void;
}

/**
 * Runs `coursewire database …`; `args` are what follows `database`. Returns the exit code: 0 if it was done, 2
 * if the arguments are wrong.
 * @throws as {@link openCopyDatabases} and {@link copyDatabase}
 */
export async function runDatabaseCommand(
  args: readonly string[],
  context: DatabaseCommandContext,
): Promise<number> {
  const { write, writeError } = context;
  const given = parse(args);
  if (typeof given !== 'string' && given.help) {
    write(HELP);
    return SUCCESS;
  }
  const targetUrl = typeof given === 'string' ? null : (given.to ?? context.databaseUrl());
  if (typeof given === 'string' || targetUrl === null) {
    const fault = typeof given === 'string' ? given : '--to is missing, and database_url is not set.';
    writeError(`${fault}\nSee "coursewire database --help".\n`);
    return WRONG_USE;
  }
  const began = context.now();
  await using databases = await context.open(targetUrl);
  write(`Copying the embedded database in ${context.dataDir()} to ${placeOf(targetUrl)}.\n`);
  let toldAt = 0;
  const copied = await copyDatabase(databases.source, databases.target, {
    onProgress: (table, rows, total) => {
      if (rows < total && rows - toldAt < TOLD_EVERY_ROWS) return;
      toldAt = rows < total ? rows : 0;
      write(`  ${table}: ${rows} of ${total} rows\n`);
    },
    finish: context.finish,
  });
  write(summary(copied, context.now() - began));
  return SUCCESS;
}

/** The options, or their error. A URL is never repeated, because it may contain a password. */
function parse(args: readonly string[]): { to: string | undefined; help: boolean } | string {
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { to: undefined, help: true };
  const [command, ...extra] = positionals;
  if (command === undefined) return 'A command is missing: copy.';
  if (command !== 'copy') return `Unknown command ${JSON.stringify(command)}. The command is: copy.`;
  if (extra.length > 0) return 'There is one argument too many. Name the target with --to.';
  if (values.to !== undefined && !/^postgres(?:ql)?:\/\//.test(values.to)) {
    return '--to must be a postgres:// URL: the embedded database is copied to PostgreSQL.';
  }
  return { to: values.to, help: false };
}

function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'the target' : `${parsed.pathname.slice(1)} on ${parsed.host}`;
}

function summary(copied: readonly CopiedTable[], ms: number): string {
  const rows = [
    ['TABLE', 'ROWS', 'CHECKSUM'],
    ...copied.map(({ name, rows, checksum }) => [
      name,
      String(rows),
      checksum.slice(0, SHOWN_CHECKSUM_DIGITS),
    ]),
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const countWidth = Math.max(...rows.map(([, count = '']) => count.length));
  const table = rows
    .map(
      ([name = '', count = '', sum = '']) => `${name.padEnd(width)}  ${count.padStart(countWidth)}  ${sum}\n`,
    )
    .join('');
  const total = copied.reduce((sum, { rows: some }) => sum + some, 0);
  const altered = copied.filter((each) => each.altered > 0);
  const alteredText = altered.map(
    ({ name, altered: some }) =>
      `Note: ${some} rows of ${name} have a text with a NUL character, which PostgreSQL cannot store. It was replaced with U+FFFD.\n`,
  );
  return (
    `\n${table}\n${alteredText.join('')}` +
    `DONE: ${total} rows in ${copied.length} tables, ${Math.ceil(ms / 1_000)} s. Counted and compared: complete.\n\n` +
    'Next: set database_url to the target and keep webhooks_auth_secret (if it is not set, it is in the data folder).\n' +
    'Start the service. The embedded database keeps its data. Do not start a service on it again,\n' +
    'because it would also deliver the waiting messages.\n'
  );
}
