import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { startTestService } from '../test/support/service.ts';

/**
 * Runs ADL's conformance tests against the learning record store of a service that is started for them. The tests come
 * from a checkout of adlnet/lrs-conformance-test-suite, after `npm install`. Its path is an argument.
 */

const USAGE = `Usage: node scripts/lrs-conformance.ts FOLDER [--version 1.0.3|2.0.0] [--postgres] [--grep TEXT]

Runs the tests of FOLDER, a checkout of https://github.com/adlnet/lrs-conformance-test-suite
with its dependencies installed, and lists those that failed. The service keeps its data in SQLite, or in PostgreSQL with --postgres.
`;

/** A suite or a test of the report. */
interface Entry {
  name?: string;
  title?: string;
  status?: string;
  error?: string;
  tests?: Entry[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: 'string', default: '1.0.3' },
    postgres: { type: 'boolean', default: false },
    grep: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined || !existsSync(path.join(folder, 'bin/console_runner.js'))) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await run(path.resolve(folder));
}

/** Returns the exit status: 0 if every test passed. */
async function run(suite: string): Promise<number> {
  await using stack = new AsyncDisposableStack();
  if (values.postgres) {
    const { url } = stack.use(await startPostgresServer());
    await makeTemplate(url);
    process.env[SERVER_VARIABLE] = url;
  }
  const service = stack.use(await startTestService());
  const logs = path.join(suite, 'logs');
  const before = new Set(existsSync(logs) ? readdirSync(logs) : []);
  const runner = spawn(
    process.execPath,
    [
      'bin/console_runner.js',
      ...['-x', values.version, '-e', `${service.url}/xapi`],
      ...['-a', '-u', service.clientId, '-p', service.clientSecret],
      ...(values.grep === undefined ? [] : ['-g', values.grep]),
    ],
    { cwd: suite, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const { promise, resolve } = Promise.withResolvers<number | null>();
  runner.once('exit', resolve);
  await promise;
  const report = readdirSync(logs).find((name) => !before.has(name));
  if (report === undefined) {
    process.stderr.write('The tests did not write a report.\n');
    return 1;
  }
  const { summary, log } = JSON.parse(readFileSync(path.join(logs, report), 'utf8')) as {
    summary: { total: number; passed: number; failed: number };
    log: Entry;
  };
  rmSync(path.join(logs, report));
  for (const line of failures(log, [])) console.log(line);
  console.log(`${summary.passed} of ${summary.total} tests passed, ${summary.failed} failed`);
  return summary.failed === 0 && summary.passed === summary.total && summary.total > 0 ? 0 : 1;
}

function failures(entry: Entry, above: readonly string[]): string[] {
  if (entry.status !== 'failed') return [];
  const names = [...above, entry.title ?? entry.name ?? ''];
  const inner = (entry.tests ?? []).flatMap((each) => failures(each, names));
  return inner.length > 0 ? inner : [`${names.join(' › ')}\n    ${entry.error ?? ''}`];
}
