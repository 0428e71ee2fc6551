import { parseArgs } from 'node:util';
import { DATABASE_NAMES, type DatabaseName } from './bench-database.ts';
import { QUEUE_NAMES, type QueueName } from './bench-queue.ts';
import { GOAL_NAMES, type GoalName } from './goals.ts';
import { FULL_PLAN, type Plan, QUICK_PLAN, SCENARIO_NAMES, type ScenarioName } from './plan.ts';

export const USAGE = `Usage: npm run bench -- [--quick] [--only NAME]… [--json] [--profile FOLDER]
                        [--database sqlite|postgres] [--database-url URL] [--queue database|sqs]
                        [--goal NAME=NUMBER]… [--results FILE] [--read FILE] [--compare FILE]

Measures the service, started as its users start it, against a target on this machine, and writes the
results to bench/latest.json. The exit code is 1 if a goal is missed. Deliveries are compared with bare undici, which posts
to the same target in the same run, and requests to the API with a bare Fastify route, because absolute numbers say more
about the machine than about the program.

Options:
  --quick           fewer messages, and no backlog of a million: about a minute instead of less than 8 minutes
  --only NAME       measures only this; repeat it, or separate names with commas
  --database NAME   the database: ${DATABASE_NAMES.join(' or ')}; a PostgreSQL server is started for the run
  --database-url URL  your PostgreSQL server, with a user that may create databases
  --queue NAME      the queue: ${QUEUE_NAMES.join(' or ')}; SQS is simulated on this machine unless SQS_ENDPOINT is set
  --goal NAME=NUMBER  sets a goal, in place of that of the database. The names are below
  --results FILE    writes the results there
  --compare FILE    compares the ratios with those of an earlier run, with exit code 1 if one fell by more than its
                    spread: the distance between the quartiles of its turns, or a tenth if there were no turns
  --read FILE       takes the results from this file instead of measuring
  --json            writes the results to standard output instead of the tables
  --profile FOLDER  each service process writes a CPU profile there when it ends, which lowers the rates
  --help            prints this text

Names: ${SCENARIO_NAMES.join(', ')}
Goals: ${inLines(GOAL_NAMES)}
`;

/** A list in lines of three names, as in the text above. */
function inLines(names: readonly string[]): string {
  const lines = names.flatMap((_, n) => (n % 3 === 0 ? [names.slice(n, n + 3).join(', ')] : []));
  return lines.join(',\n       ');
}

/** The options of a run. */
export interface BenchArguments {
  help: boolean;
  plan: Plan;
  only: readonly ScenarioName[];
  json: boolean;
  database: { name: DatabaseName; url: string | null };
  queue: QueueName;
  profileFolder: string | null;
  /** Goals that replace the usual ones. */
  goals: Partial<Record<GoalName, number>>;
  /** The file for the results; null for the usual one of the engines. */
  resultsFile: string | null;
  /** The results of an earlier run to compare with, if any. */
  compareFile: string | null;
  /** The file of results to show, or to compare, instead of measuring; null to measure. */
  readFile: string | null;
}

/** The arguments are invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** @throws {UsageError} */
export function parseBenchArguments(args: string[]): BenchArguments {
  const {
    quick,
    only,
    json,
    profile,
    help,
    database,
    'database-url': databaseUrl,
    queue,
    goal,
    results,
    compare,
    read,
  } = parse(args);
  const names = (only ?? []).flatMap((each) => each.split(','));
  const unknown = names.find((name) => !isScenarioName(name));
  if (unknown !== undefined) throw new UsageError(`there is no scenario ${JSON.stringify(unknown)}`);
  return {
    help: help === true,
    plan: quick === true ? QUICK_PLAN : FULL_PLAN,
    only: names.length === 0 ? SCENARIO_NAMES : names.filter(isScenarioName),
    json: json === true,
    database: databaseOf(database, databaseUrl),
    queue: queueOf(queue),
    profileFolder: profile ?? null,
    goals: goalsOf(goal ?? []),
    resultsFile: results ?? null,
    compareFile: compare ?? null,
    readFile: read ?? null,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        database: { type: 'string' },
        'database-url': { type: 'string' },
        queue: { type: 'string' },
        profile: { type: 'string' },
        goal: { type: 'string', multiple: true },
        results: { type: 'string' },
        compare: { type: 'string' },
        read: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

function databaseOf(name: string | undefined, url: string | undefined): BenchArguments['database'] {
  const chosen = name ?? (url === undefined ? 'sqlite' : 'postgres');
  const known = DATABASE_NAMES.find((each) => each === chosen);
  if (known === undefined) throw new UsageError(`there is no database ${JSON.stringify(chosen)}`);
  if (url !== undefined && known !== 'postgres') throw new UsageError('--database-url is for PostgreSQL');
  return { name: known, url: url ?? null };
}

function queueOf(name = 'database'): QueueName {
  const known = QUEUE_NAMES.find((each) => each === name);
  if (known === undefined) throw new UsageError(`there is no queue ${JSON.stringify(name)}`);
  return known;
}

function goalsOf(given: readonly string[]): BenchArguments['goals'] {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, number] = /^([^=]*)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
      const known = GOAL_NAMES.find((each) => each === name);
      if (known === undefined) throw new UsageError(`${JSON.stringify(text)} is not a goal and its number`);
      return [known, Number(number)];
    }),
  );
}

function isScenarioName(name: string): name is ScenarioName {
  return (SCENARIO_NAMES as readonly string[]).includes(name);
}
