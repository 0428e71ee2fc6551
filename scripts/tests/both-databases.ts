import { makeTemplate, SERVER_VARIABLE } from '../../test/support/postgres.ts';
import { startPostgresServer } from '../../test/support/postgres-server.ts';
import { keepTemporaryFilesInMemory } from '../memory-folder.ts';
import { type PooledProgram, PoolReport, runPool } from './pool.ts';
import { testPrograms } from './processes.ts';
import { ROOT } from './run.ts';

/** Programs with browsers start within this share of all programs. */
const BROWSERS_STARTED_BY = 0.7;

/** The tests to run on each database. */
export interface TestsOfDatabases {
  /** Options for `node`. */
  options: readonly string[];
  /** Test files. */
  sqlite: readonly string[];
  postgres: readonly string[];
}

/**
 * Runs tests on SQLite and on PostgreSQL in one pool of programs, so that programs that wait leave the processors to
 * others. Reports on SQLite first. Returns the exit code of the command: 0 only if tests ran and passed on both.
 */
export async function runOnBothDatabases({ options, sqlite, postgres }: TestsOfDatabases): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  // This process stays until the tests and the server have ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
  using _inMemory = keepTemporaryFilesInMemory();
  await using server = await startPostgresServer();
  await makeTemplate(server.url);
  using onSqlite = testPrograms(sqlite, ROOT);
  using onPostgres = testPrograms(postgres, ROOT);
  const later: Buffer[] = [];
  const reports = [
    { database: 'SQLite', report: new PoolReport((text) => process.stdout.write(text)) },
    { database: 'PostgreSQL', report: new PoolReport((text) => later.push(text)) },
  ] as const;
  const [{ report: sqliteReport }, { report: postgresReport }] = reports;
  process.stdout.write('\nSQLite\n');
  await runPool(
    interleave([
      ...onSqlite.files.map((file) => ({ file, environment: {}, report: sqliteReport })),
      ...onPostgres.files.map((file) => ({
        file,
        environment: { [SERVER_VARIABLE]: server.url },
        report: postgresReport,
      })),
    ]),
    options,
    interrupted.signal,
  );
  await sqliteReport.end();
  await postgresReport.end();
  process.stdout.write('\nPostgreSQL\n');
  process.stdout.write(Buffer.concat(later));
  // Repeats the failures, because hundreds of lines may follow them above.
  const outcomes = reports.flatMap(({ database, report }) => [
    `${database}: ${report.hasFailed ? 'FAILED' : 'passed'}`,
    ...report.failures.map((failure) => `  ${failure}`),
  ]);
  process.stdout.write(`\n${outcomes.join('\n')}\n`);
  return reports.some(({ report }) => report.hasFailed) ? 1 : 0;
}

/**
 * Distributes programs with browsers, others on SQLite and those on PostgreSQL evenly, because the first compute all
 * the time while the last wait for their server. Those with browsers start first, because they take longest.
 */
function interleave(programs: readonly PooledProgram[]): PooledProgram[] {
  const groups = Map.groupBy(programs, ({ file, environment }) =>
    hasBrowser(file) ? 'browser' : SERVER_VARIABLE in environment ? 'PostgreSQL' : 'SQLite',
  );
  const placed = [...groups].flatMap(([name, group]) =>
    group.map((program, at) => ({
      program,
      place: ((at + 0.5) / group.length) * (name === 'browser' ? BROWSERS_STARTED_BY : 1),
    })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ program }) => program);
}

/** Whether a program, which may be one of several test files, opens a browser. */
function hasBrowser(file: string): boolean {
  return /\btest[-/]ui[-/]/.test(file);
}
