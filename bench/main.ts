import { writeFileSync } from 'node:fs';
import { parseBenchArguments, USAGE, UsageError } from './arguments.ts';
import { renderReport } from './report.ts';
import { runBench } from './run-bench.ts';

/** A file for each engine. */
const latestOf = (database: string, queue: string) => {
  const engines = [...(database === 'sqlite' ? [] : [database]), ...(queue === 'database' ? [] : [queue])];
  return new URL(`${['latest', ...engines].join('-')}.json`, import.meta.url);
};
const EXIT_MISSED = 1;
const EXIT_USAGE = 2;

try {
  const { help, plan, only, json, profileFolder, database, queue, goals, resultsFile } = parseBenchArguments(
    process.argv.slice(2),
  );
  if (help) {
    process.stdout.write(USAGE);
  } else {
    const results = await runBench({
      plan,
      only,
      profileFolder,
      database,
      queue,
      goals,
      tell: (what) => console.error(what),
    });
    const text = `${JSON.stringify(results, null, 2)}\n`;
    writeFileSync(resultsFile ?? latestOf(database.name, queue), text);
    process.stdout.write(json ? text : `${renderReport(results)}\n`);
    const missed = results.goals.filter(({ reached }) => reached === false);
    for (const { name, wanted, found } of missed)
      console.error(`missed: ${name}: ${found}, wanted ${wanted}`);
    if (missed.length > 0) process.exitCode = EXIT_MISSED;
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
