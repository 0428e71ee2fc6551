import { writeFileSync } from 'node:fs';
import { parseBenchArguments, USAGE, UsageError } from './arguments.ts';
import { renderReport } from './report.ts';
import { runBench } from './run-bench.ts';

/** A file for each database. */
const latestOf = (name: string) =>
  new URL(name === 'sqlite' ? 'latest.json' : `latest-${name}.json`, import.meta.url);
const EXIT_USAGE = 2;

try {
  const { help, plan, only, json, profileFolder, database } = parseBenchArguments(process.argv.slice(2));
  if (help) {
    process.stdout.write(USAGE);
  } else {
    const results = await runBench({
      plan,
      only,
      profileFolder,
      database,
      tell: (what) => console.error(what),
    });
    const text = `${JSON.stringify(results, null, 2)}\n`;
    writeFileSync(latestOf(database.name), text);
    process.stdout.write(json ? text : `${renderReport(results)}\n`);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
