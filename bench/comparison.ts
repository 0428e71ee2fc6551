import { existsSync, readFileSync } from 'node:fs';
import { UsageError } from './arguments.ts';
import { interquartileRange } from './quantile.ts';
import type { ApiResult, DeliveriesResult, Results } from './results.ts';

/** The assumed spread of a ratio if its run recorded no turns, as a part of the ratio. */
const SPREAD_WITHOUT_TURNS = 0.1;

/** A ratio of one run. */
interface Ratio {
  value: number;
  /** The interquartile range of its turns. */
  spread: number;
}

/** A ratio in an earlier run and a later one. */
export interface ComparedRatio {
  /** For example `deliveries.one_webhook.share_of_raw`. */
  name: string;
  earlier: number;
  later: number;
  /** The tolerated decrease: the larger spread of the two runs. */
  spread: number;
  hasFallen: boolean;
}

/** A comparison of a run with an earlier one. */
export interface RunComparison {
  /** Every ratio that both runs measured. */
  ratios: ComparedRatio[];
  /** Names of ratios that only the earlier run measured. */
  missing: string[];
  /** How the runs differ in their conditions: `machine`, `plan`. */
  differences: string[];
}

/** The members of results that a comparison uses. */
type Comparable = Pick<Results, 'machine' | 'database' | 'queue' | 'plan' | 'deliveries' | 'player'> &
  Partial<Pick<Results, 'events' | 'tokens'>>;

/** The members that a comparison needs, and the further ones that tables and goals need. */
const COMPARED = ['machine', 'database', 'queue', 'plan', 'deliveries'];
const SHOWN = ['slowdowns', 'events', 'tokens', 'player', 'start', 'first_load'];

/**
 * Reads the results file of a run. A file of an earlier version may lack members that only tables and goals need.
 * @throws {UsageError} if the file is missing, is not JSON or contains something else
 */
export function readResults(file: string, { isShown = false }: { isShown?: boolean } = {}): Results {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} is not JSON`, { cause: error });
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  if (!isObject(read)) throw new UsageError(`${file} does not hold results of the bench`);
  const absent = [
    ...COMPARED.filter((name) => !isObject(read[name])),
    ...(isShown ? SHOWN.filter((name) => read[name] === undefined) : []),
  ];
  if (absent.length > 0)
    throw new UsageError(`${file} does not hold results of the bench: it lacks ${absent.join(', ')}`);
  return read as unknown as Results;
}

/**
 * Compares a run with an earlier one. It compares only ratios, because rates depend on the machine as much as on the
 * program.
 * @throws {UsageError} if the engines differ or the runs have no ratio in common
 */
export function compareRuns(earlier: Comparable, later: Comparable): RunComparison {
  for (const engine of ['database', 'queue'] as const)
    if (earlier[engine].name !== later[engine].name)
      throw new UsageError(
        `the runs cannot be compared: the ${engine} was ${earlier[engine].name}, and is ${later[engine].name}`,
      );
  const before = ratiosOf(earlier);
  const after = ratiosOf(later);
  const ratios = [...before].flatMap(([name, ratio]) => {
    const now = after.get(name);
    return now === undefined ? [] : [compared(name, ratio, now)];
  });
  if (ratios.length === 0) throw new UsageError('the runs cannot be compared: they have no ratio in common');
  return {
    ratios,
    missing: [...before.keys()].filter((name) => !after.has(name)),
    differences: [
      ...(isSame(earlier.machine, later.machine) ? [] : ['machine']),
      ...(earlier.plan.name === later.plan.name ? [] : ['plan']),
    ],
  };
}

function compared(name: string, earlier: Ratio, later: Ratio): ComparedRatio {
  const spread = Math.max(earlier.spread, later.spread);
  return {
    name,
    earlier: earlier.value,
    later: later.value,
    spread,
    hasFallen: earlier.value - later.value > spread,
  };
}

function ratiosOf({ deliveries, events, tokens, player }: Comparable): Map<string, Ratio> {
  const found = new Map<string, Ratio>();
  const add = (name: string, value: number | null | undefined, turns: readonly number[] = []) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return;
    found.set(name, {
      value,
      spread: turns.length > 1 ? interquartileRange(turns) : value * SPREAD_WITHOUT_TURNS,
    });
  };
  for (const [scenario, result] of Object.entries(deliveries)) {
    const name = `deliveries.${scenario}`;
    add(`${name}.share_of_raw`, result.share_of_raw, sharesOfTurns(result, 'raw'));
    add(`${name}.cpu_share_of_raw`, result.cpu_share_of_raw);
    add(`${name}.share_of_base`, result.share_of_base, sharesOfTurns(result, 'base'));
    add(`${name}.share_of_bare`, result.sqs?.share_of_bare);
  }
  const addApi = (name: string, result: ApiResult | null | undefined) => {
    add(`${name}.share_of_fastify`, result?.share_of_fastify, result?.share_of_fastify_turns);
    add(`${name}.cpu_share_of_fastify`, result?.cpu_share_of_fastify);
  };
  for (const [scenario, result] of Object.entries(events ?? {}))
    addApi(`events.${scenario}.published`, result.published);
  addApi('tokens', tokens);
  add('player.share_of_static', player?.share_of_static, player?.share_of_static_turns);
  add('player.cpu_share_of_static', player?.cpu_share_of_static);
  return found;
}

/** The service's rate in each turn as a share of the other side's rate in the adjacent turn. */
function sharesOfTurns({ turns }: DeliveriesResult, other: 'raw' | 'base'): number[] {
  return turns.service.flatMap((rate, n) => {
    const beside = turns[other][n];
    return beside === undefined || beside === 0 ? [] : [rate / beside];
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
