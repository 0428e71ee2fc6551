import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildService } from '../scripts/build-service.ts';
import { type BenchArguments, parseBenchArguments, USAGE, UsageError } from './arguments.ts';
import { compareRuns, readResults } from './comparison.ts';
import { goalsOf } from './goals.ts';
import { renderComparison, renderReport } from './report.ts';
import type { Results } from './results.ts';

/** One results file per engine. */
const latestOf = (database: string, queue: string) => {
  const engines = [...(database === 'sqlite' ? [] : [database]), ...(queue === 'database' ? [] : [queue])];
  return new URL(`${['latest', ...engines].join('-')}.json`, import.meta.url);
};
const EXIT_MISSED = 1;
const EXIT_USAGE = 2;

/** Runs the benchmark, and writes and shows its results. */
async function measure(args: BenchArguments): Promise<Results> {
  const { plan, only, profileFolder, database, queue, goals, resultsFile } = args;
  // Users start the bundle. If a source has changed since it was built, the program would run from its sources.
  await buildService(path.join(import.meta.dirname, '..'));
  // Loads the service's parts, which reading results does not need.
  const { runBench } = await import('./run-bench.ts');
  const results = await runBench({
    plan,
    only,
    profileFolder,
    database,
    queue,
    goals,
    report: (what) => console.error(what),
  });
  writeFileSync(resultsFile ?? latestOf(database.name, queue), textOf(results));
  show(results, args);
  return results;
}

/** Prints results, and lists the missed goals. */
function show(results: Results, { json }: BenchArguments): void {
  process.stdout.write(json ? textOf(results) : `${renderReport(results)}\n`);
  const missed = results.goals.filter(({ reached }) => reached === false);
  for (const { name, wanted, found } of missed) console.error(`missed: ${name}: ${found}, wanted ${wanted}`);
  if (missed.length > 0) process.exitCode = EXIT_MISSED;
}

function textOf(results: Results): string {
  return `${JSON.stringify(results, null, 2)}\n`;
}

/** Prints the comparison of a run with an earlier one, and lists each ratio that decreased. */
function compare(earlier: Results, later: Results, { json }: BenchArguments): void {
  const comparison = compareRuns(earlier, later);
  // With `--json`, standard output contains only the results.
  (json ? process.stderr : process.stdout).write(`\n${renderComparison(comparison)}\n`);
  const fallen = comparison.ratios.filter(({ hasFallen }) => hasFallen);
  for (const { name, earlier: was, later: is, spread } of fallen)
    console.error(
      `fell: ${name}: ${is.toFixed(3)}, was ${was.toFixed(3)}, which is more than its spread of ${spread.toFixed(3)}`,
    );
  if (fallen.length > 0) process.exitCode = EXIT_MISSED;
}

try {
  const args = parseBenchArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(USAGE);
  } else {
    // Read first: a run takes minutes, and it may write to the same file.
    const earlier = args.compareFile === null ? null : readResults(args.compareFile);
    const results =
      args.readFile === null
        ? await measure(args)
        : readResults(args.readFile, { isShown: earlier === null });
    if (earlier !== null) compare(earlier, results, args);
    else if (args.readFile !== null) show({ ...results, goals: goalsOf(results, args.goals) }, args);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
