// Runs on SQLite alone: the command starts PostgreSQL by itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { mountsBelow } from '../scripts/proof-folder.ts';
import { PROOFS } from '../scripts/proofs.ts';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';
import {
  assertNothingLeft,
  assertPasses,
  commandFolder,
  ROOT,
  run,
  runScript,
} from './support/npm-scripts.ts';
import { processesAbout } from './support/process-tree.ts';
import { until } from './support/until.ts';

const TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
/** `test/model/model.test.ts` runs on both databases in `npm test`. */
const NAMES = Object.keys(PROOFS).filter((name) => name !== 'model');
const ON_SQLITE_ALONE = new Set(['soak', 'backlog', 'isolation']);

/** A proof on a database. */
interface Run {
  name: string;
  database: keyof typeof TITLES;
}

/** The row of the table for a run with this result. */
function rowOf({ name, database }: Run, result: string): RegExp {
  return new RegExp(`│ '${name}' +│ '${TITLES[database]}' +│ .*│ '${result}' +│`);
}

/** Whether no note says that a part of it was skipped, for example because this machine has no PgBouncer. */
function wasChecked({ name, database }: Run, output: string): boolean {
  return !output.includes(`Not checked by ${name} on ${TITLES[database]}: `);
}

describe('"npm run prove -- --quick"', { timeout: 3 * TEST_TIMEOUT_MS }, () => {
  it('passes with every proof on each of its databases, and with soak, backlog and isolation on SQLite alone', async () => {
    using folder = commandFolder();
    const outcome = await runScript(folder.path, 'prove', '--quick', ...NAMES);
    assertPasses(outcome, 'short runs of all proofs');
    for (const name of NAMES) {
      const { databases } = PROOFS[name]!;
      for (const database of ON_SQLITE_ALONE.has(name) ? (['sqlite'] as const) : databases)
        assert.match(
          outcome.output,
          rowOf(
            { name, database },
            wasChecked({ name, database }, outcome.output) ? 'passed' : '(in part|not checked)',
          ),
          name,
        );
    }
    for (const name of ON_SQLITE_ALONE)
      assert.equal(outcome.output.match(new RegExp(`│ '${name}' +│`, 'g'))?.length, 1, name);
    assertNothingLeft(folder.path);
  });

  it('says what was not checked, in the table too, and succeeds', async () => {
    using folder = commandFolder();
    const args = ['--quick', '--database', 'sqlite', 'power', 'outage'];
    // Where no program is found, no disk can be mounted.
    const outcome = await run(process.execPath, ['scripts/prove.ts', ...args], {
      TMPDIR: folder.path,
      PATH: folder.path,
      // The outages of SQS need no disk, and the test above runs them.
      NODE_OPTIONS: '--test-skip-pattern=SQS',
    });
    assertPasses(outcome, 'proofs without a disk');
    const power: Run = { name: 'power', database: 'sqlite' };
    const outage: Run = { name: 'outage', database: 'sqlite' };
    assert.match(outcome.output, rowOf(power, 'not checked'));
    assert.match(outcome.output, rowOf(outage, 'in part'));
    for (const each of [power, outage]) assert.ok(!wasChecked(each, outcome.output), outcome.output);
    assertNothingLeft(folder.path);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`leaves no process, disk or file behind at ${signal}`, {
      skip: process.platform !== 'linux' && 'needs /proc of Linux',
    }, async () => {
      using folder = commandFolder();
      // On PostgreSQL, these have all that they have on SQLite, and servers. They last until the signal.
      const args = ['--quick', '--kills', '1000', 'power', 'learners', '--database', 'postgres'];
      const command = spawn(process.execPath, ['scripts/prove.ts', ...args], {
        cwd: ROOT,
        env: { ...process.env, TMPDIR: folder.path },
        stdio: 'ignore',
        // A process group, as a terminal makes one: Ctrl-C goes to all of it.
        detached: true,
      });
      const closed = once(command, 'close');
      const runs = (what: RegExp) => processesAbout(folder.path).some((each) => what.test(each.commandLine));
      const mayMount = process.getuid?.() === 0;
      await until(
        () => runs(/coursewire\.js serve/) && runs(/postgres -D/),
        'the service and PostgreSQL are running',
      );
      if (mayMount) await until(() => mountsBelow(folder.path).length > 0, 'a disk is mounted');
      process.kill(signal === 'SIGINT' ? -command.pid! : command.pid!, signal);
      const [code] = await closed;
      assert.ok(code !== 0 && code !== null, `exit code ${code}`);
      assert.deepEqual(processesAbout(folder.path), []);
      assert.deepEqual(mountsBelow(folder.path), []);
      assertNothingLeft(folder.path);
    });
});
