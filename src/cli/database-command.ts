import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  type CopiedMarker,
  describeCopied,
  readCopiedMarker,
  removeCopiedMarker,
  setCopiedMarker,
} from '../database/copying/copied-marker.ts';
import { type CopiedTable, copyDatabase } from '../database/copying/copy-database.ts';
import {
  type CopyDatabases,
  openCopyDatabases,
  openSourceDatabase,
} from '../database/copying/open-databases.ts';
import { assertNoInstanceRuns } from '../housekeeping/migration-guards.ts';
import { messageOf } from '../problems/error-message.ts';
import { deleteDoneMessages } from '../queue/lines/done-messages.ts';
import { quote } from '../settings/parser.ts';
import { readDatabaseUrl } from '../settings/setting-values.ts';
import type { Settings } from '../settings/settings-table.ts';
import { SUCCESS } from './exit.ts';
import { assertOptionsOnce, noteText, type Output, writeWrongUse } from './subcommands.ts';

/** Rows between two progress lines. */
const PROGRESS_EVERY_ROWS = 50_000;
const SHOWN_CHECKSUM_DIGITS = 12;

const HELP = `Usage: coursewire database <command>

Moves between the embedded database in data_dir and PostgreSQL. Stop the service on data_dir first.
For the steps before and after, see docs/operating.md, "Moving to PostgreSQL".

Commands:
  copy [--to URL]  copy the embedded database into an empty PostgreSQL database, completely or not at
                   all. If it is interrupted, the target is still empty: run it again. Every table is
                   read back, counted and compared before the copy is committed. The embedded database
                   is only migrated to this release and marked as copied, so that no service starts
                   on it and sends the waiting messages a second time
  return           let a service start on the embedded database again after a copy. It has no changes
                   since the copy, and sends the messages that were waiting at that time

Options:
  --to URL  postgres://user:password@host:5432/database (default: the setting database_url, which keeps
            the password out of the process list)
  --help    show this text
`;

const MARKED =
  'The embedded database is marked as copied: no service starts on it, because it would also deliver the waiting\n' +
  'messages. If you must go back to it, run "coursewire database return".\n';

const OPTIONS = {
  to: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

/** Dependencies of the command. */
export interface DatabaseCommandContext extends Output {
  /** Not read for help. */
  settings: () => Settings;
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
  const given = parse(args);
  if (typeof given === 'string') return writeWrongUse(context, given, 'database');
  if (given.command === 'help') {
    context.write(HELP);
    return SUCCESS;
  }
  if (given.command === 'return') return await returnToSource(context);
  const targetUrl = given.to ?? context.settings().database_url;
  if (targetUrl === null) {
    return writeWrongUse(context, '--to is missing, and database_url is not set.', 'database');
  }
  return await copyTo(targetUrl, context);
}

async function copyTo(targetUrl: string, context: DatabaseCommandContext): Promise<number> {
  const { write, writeError } = context;
  const { data_dir: dataDir } = context.settings();
  const began = Date.now();
  await using databases = await openCopyDatabases(dataDir, targetUrl, {
    now: Date.now,
    guard: assertNoInstanceRuns,
    remark: (text) => writeError(noteText(text)),
  });
  const place = placeOf(targetUrl);
  write(`Copying the embedded database in ${dataDir} to ${place}.\n`);
  let reportedAt = 0;
  const copied = await copyDatabase(databases.source, databases.target, {
    onProgress: (table, rows, total) => {
      if (rows < total && rows - reportedAt < PROGRESS_EVERY_ROWS) return;
      reportedAt = rows < total ? rows : 0;
      write(`  ${table}: ${rows} of ${total} rows\n`);
    },
    // Only the embedded database keeps settled messages for a while.
    finish: deleteDoneMessages,
  });
  // Not before the copy is committed: an interrupted copy must not prevent a start.
  const obstacle = await markCopied(databases, { place, at: Date.now() });
  write(summary(copied, Date.now() - began));
  if (obstacle === null) write(MARKED);
  else writeError(notMarked(obstacle));
  return SUCCESS;
}

/** Returns why it failed, or null: the copy is complete in both cases. */
async function markCopied({ source }: CopyDatabases, marker: CopiedMarker): Promise<string | null> {
  try {
    await source.transaction((tx) => setCopiedMarker(tx, marker));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function returnToSource({ settings, write }: DatabaseCommandContext): Promise<number> {
  const { data_dir: dataDir } = settings();
  await using opened = await openSourceDatabase(dataDir);
  const { source } = opened;
  const marker = await readCopiedMarker(source.reader);
  if (marker === null) {
    write(`The embedded database in ${dataDir} was not copied to PostgreSQL. A service can start on it.\n`);
    return SUCCESS;
  }
  await source.transaction(removeCopiedMarker);
  write(
    `A service can start on the embedded database in ${dataDir} again, which ${describeCopied(marker)}.\n` +
      'Before you start it, stop all instances on PostgreSQL and remove database_url.\n' +
      'The embedded database has no changes since the copy. The service sends the messages that were waiting at that time,\n' +
      'even if they were sent from PostgreSQL since.\n',
  );
  return SUCCESS;
}

/** The options, or their error. A URL is never repeated, because it may contain a password. */
function parse(
  args: readonly string[],
): { command: 'copy' | 'return' | 'help'; to?: string | undefined } | string {
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;
  try {
    const { tokens, ...found } = parseArgs({
      args: [...args],
      options: OPTIONS,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    parsed = found;
    if (found.values.help !== true) assertOptionsOnce(tokens);
  } catch (error) {
    return messageOf(error);
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { command: 'help' };
  const [command, ...extra] = positionals;
  if (command === undefined) return 'A command is missing: one of copy, return.';
  if (command !== 'copy' && command !== 'return') {
    return `Unknown command ${quote(command)}. The commands are copy, return.`;
  }
  if (command === 'return') {
    return extra.length > 0 || values.to !== undefined ? '"return" has no arguments.' : { command };
  }
  if (extra.length > 0) return 'Unexpected argument. Name the target with --to.';
  if (values.to !== undefined && readDatabaseUrl(values.to) === undefined) {
    return '--to must be a postgres:// URL, with special characters of the password percent-encoded (# is %23).';
  }
  return { command, to: values.to };
}

function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'the target' : `${parsed.pathname.slice(1)} on ${parsed.host}`;
}

function notMarked(obstacle: string): string {
  return (
    `Warning: the embedded database could not be marked as copied: ${obstacle}\n` +
    'Rename coursewire.db, and start no service on it: it would also deliver the waiting messages.\n'
  );
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
  const alteredText = altered.map(({ name, altered: some }) =>
    noteText(
      `${some} rows of ${name} have a text with a NUL character, which PostgreSQL cannot store. It was replaced with U+FFFD`,
    ),
  );
  return (
    `\n${table}\n${alteredText.join('')}` +
    `DONE: ${total} rows in ${copied.length} tables, ${Math.ceil(ms / 1_000)} s. Counted and compared: complete.\n\n` +
    'Next: set database_url to the target and keep webhooks_auth_secret (if it is not set, it is in the data folder).\n' +
    'Start the service.\n'
  );
}
