import path from 'node:path';
import { SECOND_MS } from '../src/time/units.ts';
import { type DatabaseName, sqliteBenchDatabase } from './bench-database.ts';
import { databaseBenchQueue, type QueueName, sqsBenchQueue } from './bench-queue.ts';
import { type GoalName, goalsOf } from './goals.ts';
import { currentLoad, describeMachine } from './machine.ts';
import type { Plan, ScenarioName } from './plan.ts';
import { postgresBenchDatabase } from './postgres-bench-database.ts';
import { type Results, toResults } from './results.ts';
import { runScenarios } from './scenarios.ts';
import { Sink } from './sink.ts';
import { Workplace } from './workplace.ts';

/** 128 plus the number of SIGINT, as shells report it. */
const EXIT_INTERRUPTED = 130;

export interface BenchOptions {
  plan: Plan;
  only: readonly ScenarioName[];
  profileFolder: string | null;
  /** The database; if `databaseUrl` is null, a server is started for the run. */
  database: { name: DatabaseName; url: string | null };
  queue: QueueName;
  /** Goals that replace the usual ones. */
  goals?: Partial<Record<GoalName, number>>;
  /** Called with the progress. */
  report: (what: string) => void;
}

/** Runs the benchmark and returns its results. */
export async function runBench({
  plan,
  only,
  profileFolder,
  database: { name, url },
  queue: queueName,
  goals = {},
  report,
}: BenchOptions): Promise<Results> {
  const beganAt = performance.now();
  const date = new Date().toISOString();
  const loadBefore = currentLoad();
  await using workplace = new Workplace();
  await using database = name === 'postgres' ? await postgresBenchDatabase(url) : sqliteBenchDatabase;
  await using queue = queueName === 'sqs' ? await sqsBenchQueue(workplace) : databaseBenchQueue;
  const interrupted = () => {
    workplace.abandon();
    process.exit(EXIT_INTERRUPTED);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const memory: number[] = [];
    const measured = await runScenarios(
      {
        plan,
        workplace,
        database,
        queue,
        sink: await Sink.start(workplace),
        profileFolder: profileFolder === null ? null : path.resolve(profileFolder),
        report,
        noteMemory: (scenario, mib) => {
          if (mib === null) return;
          memory.push(mib);
          report(`${scenario}: the service held at most ${Math.round(mib)} MiB`);
        },
      },
      only,
    );
    const results = toResults(
      { ...measured, peak_memory_mib: memory.length === 0 ? null : Math.max(...memory) },
      {
        date,
        machine: describeMachine(),
        load_before: loadBefore,
        database: { name, about: database.about },
        queue: { name: queueName, about: queue.about },
        plan,
        seconds: (performance.now() - beganAt) / SECOND_MS,
      },
    );
    return { ...results, goals: goalsOf(results, goals) };
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}
