import { mkdtempSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SECOND_MS } from '../src/time/units.ts';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { proofFolder } from './proof-folder.ts';
import { type ProofOutcome, type ProofResult, runProof } from './proof-process.ts';
import { type DatabaseName, type Extent, PROOFS, type Proof } from './proofs.ts';

/**
 * Runs proofs: tests that search for faults at random, for as long as you like. Runs all of them, or the named ones.
 * Prints a table at the end, and fails if a proof fails. What cannot be checked here is no failure, but the table says so. The name of
 * the failed test says how to repeat it.
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
  --kills N          crash, power, learners: how often the process is killed (200, 200, 20)
  --messages N       backlog: how many pile up (1,000,000)
  --minutes N        soak: how long it lasts (60)
  --rate N           soak: events per second (300)
  --quick            a small extent of each; soak, backlog and isolation on SQLite alone
  --database NAME    sqlite or postgres; defaults to both
`;
const EXIT_USAGE = 2;
const SEED_LIMIT = 2 ** 31;
const NUMBERS = ['seeds', 'seed', 'operations', 'kills', 'messages', 'minutes', 'rate'] as const;
const DATABASES = ['sqlite', 'postgres'] as const;
const DATABASE_TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** A row of the table at the end. */
interface Row {
  proof: string;
  database: string;
  seed: string;
  result: ProofResult;
  seconds: number;
}

/** The arguments are wrong. The message says why. */
class UsageError extends Error {}

function parse(args: readonly string[]): {
  jobs: readonly Job[];
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
  const names = positionals.length === 0 ? Object.keys(PROOFS) : positionals;
  const runsOn = ({ databases: all, quickDatabases = all }: Proof) =>
    quick && values.database === undefined ? quickDatabases : all;
  const jobs = databases.flatMap((database) =>
    names.filter((name) => runsOn(PROOFS[name]!).includes(database)).map((name) => ({ name, database })),
  );
  if (jobs.length === 0) throw new UsageError(`${names.join(', ')} cannot run on ${databases.join(', ')}`);
  return { jobs, extent: { seeds, seed, operations, kills, messages, minutes, rate, quick } };
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

/** A proof on one database. */
interface Job {
  name: string;
  database: DatabaseName;
}

/** What came of a job. */
interface Outcome extends Pick<ProofOutcome, 'notes' | 'failures'> {
  row: Row;
}

/** The environment that jobs share. */
interface Surroundings {
  extent: Extent;
  /** The folder of all temporary files. */
  folder: string;
  serverUrl: string | null;
  /** Other jobs run at the same time, so a job writes its output when it ends. */
  isShared: boolean;
  interruption: AbortSignal;
}

async function runJob({ name, database }: Job, surroundings: Surroundings): Promise<Outcome> {
  const { extent, folder, serverUrl, isShared, interruption } = surroundings;
  const { files, environment } = PROOFS[name]!;
  const title = DATABASE_TITLES[database];
  const seed = extent.seed ?? String(Math.floor(Math.random() * SEED_LIMIT));
  const heading = `${name} on ${title}, seed ${seed}\n`;
  if (!isShared) process.stderr.write(heading);
  let written = heading;
  const start = performance.now();
  const { result, notes, failures } = await runProof(
    files,
    {
      ...environment(extent),
      TMPDIR: folder,
      TEST_SEED: seed,
      PROOF_NAME: `${name} on ${title}`,
      ...(database === 'postgres' && serverUrl !== null ? { [SERVER_VARIABLE]: serverUrl } : {}),
    },
    {
      reports: mkdtempSync(path.join(folder, 'reports-')),
      signal: interruption,
      write: isShared
        ? (text) => {
            written += text;
          }
        : null,
    },
  );
  if (isShared) process.stdout.write(written);
  const row: Row = {
    proof: name,
    database: title,
    // The model prints a seed of each of its runs.
    seed: name === 'model' && extent.seed === undefined ? '' : seed,
    result,
    seconds: Math.round((performance.now() - start) / SECOND_MS),
  };
  return { row, notes, failures };
}

/** Runs jobs in their order, `atOnce` of them at the same time, until the command is interrupted. */
async function runJobs(
  jobs: readonly Job[],
  { atOnce, ...surroundings }: Surroundings & { atOnce: number },
): Promise<Outcome[]> {
  const left = [...jobs];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      if (surroundings.interruption.aborted) return;
      outcomes.push(await runJob(job, surroundings));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

/** Short runs share the machine. Those that mostly wait start first, and those that measure run alone at the end. */
async function runQuickly(jobs: readonly Job[], surroundings: Surroundings): Promise<Outcome[]> {
  const are = (kind: 'waits' | 'measures') => jobs.filter(({ name }) => PROOFS[name]!.kind === kind);
  const [waiting, measuring] = [are('waits'), are('measures')];
  const working = jobs.filter((job) => !waiting.includes(job) && !measuring.includes(job));
  const atOnce = availableParallelism() + 1;
  const outcomes = await runJobs([...waiting, ...working], { ...surroundings, isShared: true, atOnce });
  return [...outcomes, ...(await runJobs(measuring, { ...surroundings, atOnce: 1 }))];
}

async function prove({ jobs, extent }: ReturnType<typeof parse>): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      interrupted.abort();
      process.exitCode = 1;
    });
  using folder = proofFolder();
  await using server = jobs.some(({ database }) => database === 'postgres')
    ? await startPostgresServer({ parent: folder.path })
    : null;
  if (server !== null) await makeTemplate(server.url);
  const surroundings = {
    extent,
    folder: folder.path,
    serverUrl: server?.url ?? null,
    isShared: false,
    interruption: interrupted.signal,
  };
  const outcomes =
    extent.quick && jobs.length > 1
      ? await runQuickly(jobs, surroundings)
      : await runJobs(jobs, { ...surroundings, atOnce: 1 });
  console.table(outcomes.map(({ row }) => row));
  const notes = outcomes.map(({ notes }) => notes).join('');
  if (notes !== '') console.log(notes.trimEnd());
  // Repeats the failures, because much output may follow them above.
  for (const { row, failures } of outcomes)
    for (const failure of failures) console.log(`Failed: ${row.proof} on ${row.database}: ${failure}`);
  if (outcomes.some(({ row }) => row.result === 'FAILED')) process.exitCode = 1;
}

try {
  await prove(parse(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
