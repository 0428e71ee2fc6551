import { parseArgs } from 'node:util';
import { DATABASE_NAMES, type DatabaseName } from './bench-database.ts';
import { QUEUE_NAMES, type QueueName } from './bench-queue.ts';
import { FULL_PLAN, type Plan, QUICK_PLAN, SCENARIO_NAMES, type ScenarioName } from './plan.ts';
import { GOAL_NAMES, type GoalName } from './results.ts';

export const USAGE = `Usage: npm run bench -- [--quick] [--only NAME]… [--json] [--profile FOLDER]
                        [--database sqlite|postgres] [--database-url URL] [--queue database|sqs]
                        [--goal NAME=NUMBER]… [--results FILE] [--compare FILE [--read FILE]]

Measures the service, started as its users start it, against a target on this machine, and writes the
results to bench/latest.json. It ends with 1 when a goal is missed. Deliveries are held against bare undici posting to the same target in the
same run, since absolute numbers say more of the machine than of the program.

Options:
  --quick           fewer messages, and not a million of them: under a minute instead of under 6 minutes
  --only NAME       measures this only; may be given several times, or with commas between names
  --database NAME   where the data is: ${DATABASE_NAMES.join(' or ')}; PostgreSQL is started by the bench and gone after it
  --database-url URL  a PostgreSQL server of yours, as someone who may make databases there
  --queue NAME      what carries the messages: ${QUEUE_NAMES.join(' or ')}; SQS is a stand-in on this machine unless SQS_ENDPOINT names a server
  --goal NAME=NUMBER  sets a goal: ${GOAL_NAMES.slice(0, 4).join(', ')},
                    ${GOAL_NAMES.slice(4, 7).join(', ')},
                    ${GOAL_NAMES.slice(7).join(', ')}
  --results FILE    writes the results there
  --compare FILE    compares the ratios with those of an earlier run, and ends with 1 if one fell by more than its
                    spread: the distance between the quartiles of its turns, or a tenth if there were no turns
  --read FILE       measures nothing: compares the results in this file
  --json            writes the results to standard output instead of the tables
  --profile FOLDER  each service process writes a CPU profile there when it ends; the rates are lower then
  --help            writes this text

Names: ${SCENARIO_NAMES.join(', ')}
`;

/** What the bench was asked for. */
export interface BenchArguments {
  help: boolean;
  plan: Plan;
  only: readonly ScenarioName[];
  json: boolean;
  database: { name: DatabaseName; url: string | null };
  queue: QueueName;
  profileFolder: string | null;
  /** Goals in place of the usual ones. */
  goals: Partial<Record<GoalName, number>>;
  /** Where the results are written; null: to the usual file of the engines. */
  resultsFile: string | null;
  /** Results of an earlier run to compare with; null: none. */
  compareFile: string | null;
  /** Results that are read instead of measured; null: they are measured. */
  readFile: string | null;
}

/** The arguments are not what the bench takes. */
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
  if (read !== undefined && compare === undefined) throw new UsageError('--read needs --compare');
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
