import { parseArgs } from 'node:util';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { runTests } from './run-tests.ts';

/**
 * Runs proofs: tests that search for faults by chance, for as long as one likes. All of them, or those that are named. Ends
 * with an error when one fails; the name of what failed says how to repeat it.
 */

const USAGE = `Usage: npm run prove -- [NAME …] [options]

Proofs:
  model              random operations, kills and restarts, held against a model of the specification
  crash              the process killed 200 times under load: nothing lost, nothing out of order
  learners           200 learners in a course while the process is killed: nothing that was saved is lost
  backlog            a million messages for a target that was down: delivered in order, unnoticed by others
  isolation          ninety webhooks are not affected by ten whose targets hang, crawl, refuse or never end

Options:
  --seeds N          runs, each with a seed of its own (20)
  --seed N           one run, with this seed (model, crash, learners)
  --operations N     operations of each run (200)
  --kills N          crash, learners: how often the process is killed (200, 20)
  --messages N       backlog: how many pile up (1,000,000)
  --quick            backlog: 10,000 messages; isolation: one short run instead of five; crash: 10 kills; learners: 50, and 3 kills
  --database NAME    sqlite or postgres; both when left out
`;
const EXIT_USAGE = 2;

/** Options as they were given, checked. */
interface Extent {
  seeds: string;
  seed: string | undefined;
  operations: string;
  kills: string | undefined;
  messages: string | undefined;
  quick: boolean;
}

/** Each proof is a test file, which reads its extent from the environment. */
const PROOFS: Record<string, { file: string; environment: (extent: Extent) => NodeJS.ProcessEnv }> = {
  model: {
    file: 'test/model/model.test.ts',
    environment: ({ seeds, seed, operations }) => ({
      ...(seed === undefined ? { MODEL_SEEDS: seeds } : { MODEL_SEED: seed }),
      MODEL_OPERATIONS: operations,
    }),
  },
  crash: {
    file: 'test/proofs/crash.ts',
    environment: ({ seed, kills, quick }) => ({
      CRASH_KILLS: kills ?? (quick ? '10' : '200'),
      ...(seed === undefined ? {} : { TEST_SEED: seed }),
    }),
  },
  learners: {
    file: 'test/proofs/learners.ts',
    environment: ({ seed, kills, quick }) => ({
      LEARNERS_KILLS: kills ?? (quick ? '3' : '20'),
      LEARNERS_COUNT: quick ? '50' : '200',
      ...(seed === undefined ? {} : { TEST_SEED: seed }),
    }),
  },
  backlog: {
    file: 'test/proofs/backlog.ts',
    environment: ({ quick, messages }) => ({ BACKLOG_MESSAGES: messages ?? (quick ? '10000' : '1000000') }),
  },
  isolation: {
    file: 'test/proofs/isolation.ts',
    environment: ({ quick }) => (quick ? { ISOLATION_RUNS: '1', ISOLATION_TICKS: '200' } : {}),
  },
};

const DATABASES = ['sqlite', 'postgres'] as const;
type DatabaseName = (typeof DATABASES)[number];

/** Says what is wrong with the arguments. */
class UsageError extends Error {}

function parse(args: readonly string[]): {
  names: string[];
  databases: readonly DatabaseName[];
  extent: Extent;
} {
  const { values, positionals } = parseOptions(args);
  for (const name of ['seeds', 'seed', 'operations', 'kills', 'messages'] as const)
    if (values[name] !== undefined && !/^\d{1,10}$/.test(values[name]))
      throw new UsageError(`--${name} is "${values[name]}", which is not a number`);
  for (const name of positionals) if (!(name in PROOFS)) throw new UsageError(`there is no proof "${name}"`);
  const databases = DATABASES.filter((name) => values.database === undefined || values.database === name);
  if (databases.length === 0)
    throw new UsageError(`--database is "${values.database}", not sqlite or postgres`);
  const { seeds = '20', seed, operations = '200', quick = false, kills, messages } = values;
  return {
    names: positionals.length === 0 ? Object.keys(PROOFS) : positionals,
    databases,
    extent: { seeds, seed, operations, kills, messages, quick },
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
        database: text,
        quick: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Runs the proofs on one database and answers the exit code. */
async function proveOn(database: DatabaseName, names: readonly string[], extent: Extent): Promise<number> {
  await using server = database === 'postgres' ? await startPostgresServer() : null;
  if (server !== null) await makeTemplate(server.url);
  let worst = 0;
  for (const name of names) {
    const { file, environment } = PROOFS[name]!;
    console.error(`${name} on ${database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`);
    const code = await runTests(
      { options: ['--test-reporter=spec'], files: [file] },
      { ...environment(extent), ...(server === null ? {} : { [SERVER_VARIABLE]: server.url }) },
    );
    worst = Math.max(worst, code);
  }
  return worst;
}

try {
  const { names, databases, extent } = parse(process.argv.slice(2));
  for (const database of databases) {
    process.exitCode = Math.max(Number(process.exitCode ?? 0), await proveOn(database, names, extent));
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
