import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';
import {
  assertFails,
  assertNothingLeft,
  assertPasses,
  commandFolder,
  NPM_SCRIPTS,
  ROOT,
  run,
  runScript,
  writeFiles,
} from './support/npm-scripts.ts';
import { FIRST_DATA_VARIABLE } from './support/postgres-server.ts';
import { processesAbout } from './support/process-tree.ts';
import { until } from './support/until.ts';

/** Each command that checks something ends with an error when it finds a fault. */

const PASSING_TEST = "import { test } from 'node:test';\ntest('passes', () => {});\n";
const THROWING_TEST =
  "import { test } from 'node:test';\ntest('throws', () => {\n  throw new Error('fault');\n});\n";
/** It throws an error outside of every promise of the test. */
const strayErrorTest = (fault: string) => `import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
test('continues', async () => {
  ${fault}
  await nextTurn();
  await nextTurn();
});
`;
/** Fails on one engine, and passes on the other. */
const throwingTestOn = (database: 'SQLite' | 'PostgreSQL') => `import { test } from 'node:test';
test('throws', () => {
  if ((process.env.COURSEWIRE_TEST_POSTGRES === undefined) === ${database === 'SQLite'}) throw new Error('fault');
});
`;
/** Cannot be loaded on PostgreSQL, and passes on SQLite. */
const UNLOADABLE_ON_POSTGRES = `import { test } from 'node:test';
if (process.env.COURSEWIRE_TEST_POSTGRES !== undefined) throw new Error('fault');
test('passes', () => {});
`;
/** Long enough for a program to have started its tests, even on a busy machine. */
const PROGRAM_MS = 40_000;
/** Never settles, and keeps its process. */
const ENDLESS = 'setInterval(() => {}, 1_000); await new Promise(() => {});';
/** Commands that run tests, by the faults that they must find. Each takes files. */
const TEST_COMMANDS: Record<string, Record<string, string>> = {
  'test:only': {
    'a test that throws': THROWING_TEST,
    'a file that cannot be loaded': "import './is-not-there.ts';\n",
    'an error in a timer': strayErrorTest("setImmediate(() => { throw new Error('fault'); });"),
    'a rejection without a handler': strayErrorTest("void Promise.reject(new Error('fault'));"),
  },
  'test:ui': { 'a test that throws': THROWING_TEST },
  'test:pg': { 'a test that throws': throwingTestOn('PostgreSQL') },
  'test:queues': {
    'a test that throws on PostgreSQL': throwingTestOn('PostgreSQL'),
  },
};
const OTHER_COMMANDS = ['test', 'test:all', 'test:browsers', 'prove', 'bench'];
/** Commands that `check.test.ts` tries. */
const CHECK_COMMANDS = ['check', 'check:types', 'check:code', 'settings:docs'];

describe('commands that check', { timeout: TEST_TIMEOUT_MS }, () => {
  it('are all tried', () => {
    const checking = Object.keys(NPM_SCRIPTS).filter((name) =>
      /^(?:test|check|bench|prove|lockfile|settings)(?::|$)/.test(name),
    );
    const tried = [...Object.keys(TEST_COMMANDS), ...CHECK_COMMANDS, ...OTHER_COMMANDS];
    assert.deepEqual(checking.toSorted(), [...new Set(tried)].toSorted());
  });

  it('"npm test" checks the code, and then runs every test on both databases', () => {
    const parts = NPM_SCRIPTS.test!.split(' && ').map((part) => /^npm run --silent (\S+)$/.exec(part)?.[1]);
    assert.deepEqual(parts, ['check', 'test:all']);
  });

  for (const [what, source, report] of [
    [
      'a test throws on SQLite',
      throwingTestOn('SQLite'),
      /\nSQLite: FAILED\n {2}\S+faulty\.test\.ts:2 throws: fault\nPostgreSQL: passed\n$/,
    ],
    [
      'a file cannot be loaded on PostgreSQL',
      UNLOADABLE_ON_POSTGRES,
      /\nSQLite: passed\nPostgreSQL: FAILED\n {2}\S+faulty\.test\.ts:1 \S+: test failed\n$/,
    ],
  ] as const) {
    it(`"npm run test:all" fails when ${what}, and names the failures of each database at the end`, async () => {
      using folder = commandFolder();
      const file = path.join(folder.path, 'faulty.test.ts');
      writeFileSync(file, source);
      const outcome = await runScript(folder.path, 'test:all', file);
      assertFails(outcome, /faulty\.test\.ts/, what);
      assert.match(outcome.output, report);
      assert.equal(outcome.output.match(/^ℹ tests 1$/gm)?.length, 2, outcome.output);
      assertNothingLeft(folder.path);
    });
  }

  it('"npm run test:all" fails a test or hook that is stuck, runs the others, and ends a program that never exits', async () => {
    using folder = commandFolder();
    const stuckFor = (limit: string) =>
      `describe('a suite', () => { it('is stuck', ${limit}, async () => { ${ENDLESS} }); });`;
    const sources = {
      'endless.test.ts': `${stuckFor('{}')}
        describe('another', () => { before(async () => { ${ENDLESS} }); it('is not run', () => {}); });
        it('is run', () => {});`,
      'stuck.test.ts': stuckFor('{ timeout: Infinity }'),
      'unstarted.test.ts': ENDLESS,
    };
    for (const [name, source] of Object.entries(sources))
      writeFileSync(
        path.join(folder.path, name),
        `import { before, describe, it } from 'node:test';\n${source}\n`,
      );
    const files = Object.keys(sources).map((name) => path.join(folder.path, name));
    const pool = path.join(ROOT, 'scripts/tests/pool.ts');
    // A program that is given by `--eval` would be passed on to the tests.
    const program = `
      import { PoolReport, runPool } from ${JSON.stringify(pathToFileURL(pool))};
      const report = new PoolReport((text) => process.stderr.write(text));
      const programs = ${JSON.stringify(files)}.map((file) => ({ file, environment: {}, report }));
      await runPool(programs, [], new AbortController().signal, { programMs: ${PROGRAM_MS}, testMs: 1_000 });
      await report.end();
      console.log(JSON.stringify([report.hasFailed, report.failures]));`;
    writeFileSync(path.join(folder.path, 'pool.ts'), program);
    const { output } = await run(process.execPath, [path.join(folder.path, 'pool.ts')], {});
    assert.match(output, /✔ is run/);
    const [hasFailed, failures] = JSON.parse(/^\[true,.*$/m.exec(output)?.[0] ?? output);
    assert.equal(hasFailed, true);
    const withoutPlaces = failures.map((failure: string) => failure.replace(/^\S+\//, ''));
    for (const expected of [
      'endless.test.ts:2 is stuck: test timed out after 1000ms',
      'endless.test.ts:3 another: failed running before hook',
      `endless.test.ts was ended after ${PROGRAM_MS / 1_000} s, after its tests`,
      `stuck.test.ts was ended after ${PROGRAM_MS / 1_000} s, in a suite › is stuck`,
      `unstarted.test.ts was ended after ${PROGRAM_MS / 1_000} s, before its tests`,
    ])
      assert.ok(withoutPlaces.includes(expected), `${expected}\n${output}`);
  });

  for (const [command, faults] of Object.entries(TEST_COMMANDS)) {
    it(`"npm run ${command}" fails on each of: ${Object.keys(faults).join(', ')}`, async () => {
      using folder = commandFolder();
      const passing = path.join(folder.path, 'passing.test.ts');
      writeFileSync(passing, PASSING_TEST);
      const sources = Object.values(faults);
      const faulty = sources.map((_, n) => path.join(folder.path, `faulty-${n}.test.ts`));
      for (const [n, source] of sources.entries()) writeFileSync(faulty[n]!, source);
      const outcome = await runScript(folder.path, command, passing, ...faulty);
      for (const [n, what] of Object.keys(faults).entries())
        assertFails(outcome, new RegExp(`^test at \\S+faulty-${n}\\.test\\.ts:\\d`, 'm'), what);
      const failed = [...outcome.output.matchAll(/^ℹ fail (\d+)$/gm)].map(([, count]) => Number(count));
      assert.equal(
        failed.reduce((sum, count) => sum + count, 0),
        sources.length,
        outcome.output,
      );
      assertNothingLeft(folder.path);
    });
  }

  for (const command of ['test:only', 'test:pg']) {
    it(`"npm run ${command}" passes when all tests pass`, async () => {
      using folder = commandFolder();
      const passing = path.join(folder.path, 'passing.test.ts');
      writeFileSync(passing, PASSING_TEST);
      assertPasses(await runScript(folder.path, command, passing), 'a passing test');
      assertNothingLeft(folder.path);
    });
  }

  it('"npm run test:only" fails if a file does not exist', async () => {
    using folder = commandFolder();
    const missing = path.join(folder.path, 'missing.test.ts');
    const outcome = await runScript(folder.path, 'test:only', missing);
    assertFails(outcome, /missing\.test\.ts/, 'a missing file');
  });

  it('"npm run test:browsers" fails if a browser is missing or unknown, and says how to install it', async () => {
    using folder = commandFolder();
    const script = NPM_SCRIPTS['test:browsers']!.replace(/^node /, '');
    const browsers = (...args: string[]) => run(process.execPath, [script, ...args], { PATH: folder.path });
    assertFails(
      await browsers(),
      /Missing: Xvfb, xdotool, firefox-esr or firefox, WebKitWebDriver\..*apt-get install .* xvfb xdotool firefox-esr webkit2gtk-driver/s,
      'a machine without browsers',
    );
    assertFails(
      await browsers('firefox'),
      /apt-get install .* xvfb xdotool firefox-esr$/m,
      'one browser alone',
    );
    assertFails(await browsers('opera'), /There are firefox and webkit/, 'an unknown browser');
  });

  it('the scripts that need files from elsewhere fail without them, and say how to call them', async () => {
    using folder = commandFolder();
    const suites = ['scorm', 'lrs', 'cmi5', 'data-model'].map((suite) => `${suite}-conformance`);
    const names = [...suites, 'play-packages'];
    // In one process, because each loads the whole service.
    const program = path.join(folder.path, 'each.mjs');
    writeFileSync(
      program,
      `for (const script of ${JSON.stringify(names.map((name) => pathToFileURL(path.join(ROOT, 'scripts', `${name}.ts`))))}) {
  process.exitCode = 0;
  await import(script);
  process.stderr.write('exit code ' + process.exitCode + '\\n');
}
process.exitCode = 0;
`,
    );
    // They use helpers of tests, which would report to the test runner.
    const outcome = await run(process.execPath, [program, folder.path], { NODE_TEST_CONTEXT: undefined });
    const said = outcome.output.split(/^exit code (?=\d+$)/m);
    assert.equal(said.length, names.length + 1, outcome.output);
    for (const [n, name] of names.entries()) {
      assert.match(said[n]!, new RegExp(`^Usage: node scripts/${name}\\.ts FOLDER`, 'm'));
      assert.match(said[n + 1]!, /^2\n/, name);
    }
  });

  it('the conformance script of data models fails if a call has another result', async () => {
    using folder = commandFolder();
    const step = { method: 'Initialize', expectedReturn: 'true', expectedErrorCode: '0' };
    const play = async (...steps: object[]) => {
      const fixture = { id: 'small', scormVersion: '1.2', activities: [{ id: 'first', steps }] };
      writeFiles(folder.path, { 'test/conformance/adl/fixtures/small.json': JSON.stringify(fixture) });
      return await run(process.execPath, ['scripts/data-model-conformance.ts', folder.path], {});
    };
    assertPasses(await play(step), 'a call with the expected result');
    assertFails(
      await play(step, { method: 'GetValue', element: 'cmi.core.exit', expectedErrorCode: '0' }),
      /small, first, step 2: GetValue\(cmi\.core\.exit\) has error 404, expected 0/,
      'another error code',
    );
    assertFails(await play(), /^0 of 0 calls/m, 'a suite without a call');
  });

  it('"npm run prove" fails when a run fails, and says on which databases and why', async () => {
    using folder = commandFolder();
    // Fewer operations than a run can have.
    const outcome = await runScript(folder.path, 'prove', 'model', '--seed', '1', '--operations', '1');
    for (const database of ['SQLite', 'PostgreSQL']) {
      assertFails(outcome, new RegExp(`│ 'model' +│ '${database}' +│ '1' +│ 'FAILED' +│`), database);
      assertFails(outcome, new RegExp(`^Failed: model on ${database}: .+: .*[a-z]`, 'm'), database);
    }
    assert.equal(outcome.output.match(/^test at \S+model\.test\.ts/gm)?.length, 2, outcome.output);
    assertNothingLeft(folder.path);
  });

  it('"npm run prove" fails for an unknown proof', async () => {
    using folder = commandFolder();
    assertFails(await runScript(folder.path, 'prove', 'nothing'), /Usage:/, 'an unknown name');
  });

  it('"npm run bench" fails if a goal is missed, and passes if all are reached', async () => {
    using folder = commandFolder();
    const results = path.join(folder.path, 'results.json');
    const bench = (what: readonly string[], goals: Record<string, number>) =>
      runScript(
        folder.path,
        'bench',
        ...what,
        ...Object.entries(goals).flatMap(([name, wanted]) => ['--goal', `${name}=${wanted}`]),
      );
    const measured = ['--quick', '--only', 'tokens', '--database', 'postgres', '--results', results];
    const reached = await bench(measured, { peak_memory_mib: 100_000, share_tokens: 0.001 });
    assertPasses(reached, 'goals within reach');
    const { tokens, goals } = JSON.parse(readFileSync(results, 'utf8'));
    const judged = goals.filter((each: { reached: boolean | null }) => each.reached !== null);
    assert.deepEqual(
      judged.map(({ goal, wanted, reached }: Record<string, unknown>) => [goal, wanted, reached]),
      [
        ['share_tokens', 'at least 0.001', true],
        ['peak_memory_mib', 'below 100000', true],
      ],
    );
    // They are shown and judged in the same way, whether they were measured or read.
    const missed = await bench(['--read', results], { peak_memory_mib: 1, share_tokens: 1_000 });
    assertFails(missed, /missed: peak memory in MiB/, 'a goal out of reach');
    assertFails(missed, /missed: share of a bare Fastify route, access tokens/, 'another one');
    const table = missed.output.slice(0, missed.output.indexOf('\nGoal '));
    assert.ok(reached.output.includes(table), reached.output);
    assert.ok(tokens.per_second > 0 && tokens.share_of_fastify > 0);
    assertNothingLeft(folder.path);
  });
});

describe('a command that runs tests on PostgreSQL', { timeout: TEST_TIMEOUT_MS }, () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`ends with an error at ${signal}, and leaves neither a server nor its data behind`, async () => {
      using folder = commandFolder();
      const endless = path.join(folder.path, 'endless.test.ts');
      const marker = path.join(folder.path, 'running');
      writeFileSync(
        endless,
        `import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
test('never ends', async () => {
  writeFileSync(${JSON.stringify(marker)}, '');
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
});
`,
      );
      const child = spawn(process.execPath, ['scripts/tests/commands/postgres.ts', endless], {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: folder.path },
        stdio: 'ignore',
        // A process group, as a terminal makes one: Ctrl-C goes to all of it.
        detached: true,
      });
      const closed = once(child, 'close');
      await until(() => readdirSync(folder.path).includes('running'), 'the test runs');
      process.kill(signal === 'SIGINT' ? -child.pid! : child.pid!, signal);
      const [code] = await closed;
      assert.ok(code !== 0 && code !== null, `exit code ${code}`);
      assertNothingLeft(folder.path);
    });
  }

  it('omits tests that run on SQLite alone, and fails if no others are given', () => {
    const file = 'test/database/durability.test.ts';
    const run = spawnSync(process.execPath, ['scripts/tests/commands/postgres.ts', file], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.equal(run.status, 1);
    assert.match(
      run.stderr,
      /Omitted, because they run on SQLite alone: test\/database\/durability\.test\.ts\. Run them with/,
    );
  });

  it('leaves nothing behind at a signal while the server makes its first data', {
    skip: process.platform !== 'linux' && 'needs /proc of Linux',
  }, async () => {
    using folder = commandFolder();
    const program = `
      import { startPostgresServer } from './test/support/postgres-server.ts';
      await startPostgresServer();`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: folder.path, [FIRST_DATA_VARIABLE]: undefined },
      stdio: 'ignore',
    });
    const closed = once(child, 'close');
    const running = () => processesAbout(folder.path).map(({ commandLine }) => commandLine);
    await until(() => running().some((each) => /initdb/.test(each)), 'the data is being made');
    child.kill('SIGTERM');
    await closed;
    assert.deepEqual(running(), []);
    assertNothingLeft(folder.path);
  });

  it('leaves nothing behind when a program that started a server fails or exits without stopping it', async () => {
    for (const [ending, code] of [
      ["setTimeout(() => { throw new Error('fault'); });", 1],
      ['process.exit(3);', 3],
      ['process.exitCode = 4; await server.stop();', 4],
      ["process.kill(process.pid, 'SIGTERM');", 143],
    ] as const) {
      using folder = commandFolder();
      const program = `
        import { startPostgresServer } from './test/support/postgres-server.ts';
        const server = await startPostgresServer();
        ${ending}`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: folder.path },
        stdio: 'ignore',
      });
      assert.deepEqual(await once(child, 'close'), [code, null], ending);
      assertNothingLeft(folder.path);
    }
  });
});
