import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { type DatabaseName, type Extent, PROOFS } from './proofs.ts';
import { runTests } from './run-tests.ts';

/**
 * Runs proofs: tests that search for faults by chance, for as long as one likes. All of them, or those that are named. Ends
 * with a table, and with an error when one fails; the name of what failed says how to repeat it.
 */

const NAME_WIDTH = 18;
const USAGE = `Usage: npm run prove -- [NAME …] [options]

Proofs:
${Object.entries(PROOFS)
  .map(([name, { about }]) => `  ${name.padEnd(NAME_WIDTH)} ${about}`)
  .join('\n')}

Options:
  --seed N           one run with this seed; random seeds are printed
  --seeds N          model: how many runs, each with its own seed (20)
  --operations N     model: operations of each run (200)
  --kills N          crash, power, learners: how often the process is killed (200, 100, 20)
  --messages N       backlog: how many pile up (1,000,000)
  --minutes N        soak: how long it lasts (60)
  --rate N           soak: events per second (300)
  --quick            a small extent of each
  --database NAME    sqlite or postgres; both when left out
`;
const EXIT_USAGE = 2;
const SEED_LIMIT = 2 ** 31;
const MS_PER_SECOND = 1_000;
const NUMBERS = ['seeds', 'seed', 'operations', 'kills', 'messages', 'minutes', 'rate'] as const;
const DATABASES = ['sqlite', 'postgres'] as const;
const DATABASE_TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** A row of the table at the end. */
interface Row {
  proof: string;
  database: string;
  seed: string;
  result: 'passed' | 'FAILED';
  seconds: number;
}

/** Says what is wrong with the arguments. */
class UsageError extends Error {}

function parse(args: readonly string[]): {
  names: string[];
  databases: readonly DatabaseName[];
  extent: Extent;
} {
  const { values, positionals } = parseOptions(args);
  for (const name of NUMBERS) {
    const value = values[name];
    if (value !== undefined && !/^\d{1,10}(?:\.\d{1,3})?$/.test(value))
      throw new UsageError(`--${name} is "${value}", which is not a number`);
  }
  for (const name of positionals) if (!(name in PROOFS)) throw new UsageError(`there is no proof "${name}"`);
  const databases = DATABASES.filter((name) => values.database === undefined || values.database === name);
  if (databases.length === 0)
    throw new UsageError(`--database is "${values.database}", not sqlite or postgres`);
  const { seeds = '20', seed, operations, quick = false, kills, messages, minutes, rate } = values;
  return {
    names: positionals.length === 0 ? Object.keys(PROOFS) : positionals,
    databases,
    extent: { seeds, seed, operations, kills, messages, minutes, rate, quick },
  };
}

function parseOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seeds: text,
        seed: text,
        operations: text,
        kills: text,
        messages: text,
        minutes: text,
        rate: text,
        database: text,
        quick: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Runs the proofs on one database, and returns a row of the table for each. */
async function proveOn(
  database: DatabaseName,
  { names, extent, notesFile }: { names: readonly string[]; extent: Extent; notesFile: string },
): Promise<Row[]> {
  const proofs = names.filter((name) => PROOFS[name]!.databases.includes(database));
  if (proofs.length === 0) return [];
  await using server = database === 'postgres' ? await startPostgresServer() : null;
  if (server !== null) await makeTemplate(server.url);
  const title = DATABASE_TITLES[database];
  const rows: Row[] = [];
  for (const name of proofs) {
    const { file, environment } = PROOFS[name]!;
    const seed = extent.seed ?? String(Math.floor(Math.random() * SEED_LIMIT));
    console.error(`${name} on ${title}, seed ${seed}`);
    const start = performance.now();
    const code = await runTests(
      { options: ['--test-reporter=spec'], files: [file] },
      {
        ...environment(extent),
        TEST_SEED: seed,
        PROOF_NOTES: notesFile,
        PROOF_NAME: `${name} on ${title}`,
        ...(server === null ? {} : { [SERVER_VARIABLE]: server.url }),
      },
    );
    rows.push({
      proof: name,
      database: title,
      // The model prints a seed of each of its runs.
      seed: name === 'model' && extent.seed === undefined ? '' : seed,
      result: code === 0 ? 'passed' : 'FAILED',
      seconds: Math.round((performance.now() - start) / MS_PER_SECOND),
    });
  }
  return rows;
}

async function prove({ names, databases, extent }: ReturnType<typeof parse>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursewire-proof-'));
  try {
    const notesFile = path.join(folder, 'notes');
    const rows: Row[] = [];
    for (const database of databases) rows.push(...(await proveOn(database, { names, extent, notesFile })));
    console.table(rows);
    if (existsSync(notesFile)) console.log(readFileSync(notesFile, 'utf8').trimEnd());
    if (rows.length === 0) throw new UsageError(`${names.join(', ')} cannot run on ${databases.join(', ')}`);
    if (rows.some(({ result }) => result === 'FAILED')) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await prove(parse(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
