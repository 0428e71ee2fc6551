// Runs on SQLite alone: the command starts PostgreSQL by itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { mountsBelow } from '../scripts/proof-folder.ts';
import { PROOFS } from '../scripts/proofs.ts';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';
import { assertNothingLeft, assertPasses, commandFolder, ROOT, runScript } from './support/npm-scripts.ts';
import { processesAbout } from './support/process-tree.ts';
import { until } from './support/until.ts';

const TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
/** `test/model/model.test.ts` runs on both databases in `npm test`. */
const NAMES = Object.keys(PROOFS).filter((name) => name !== 'model');
const ON_SQLITE_ALONE = new Set(['soak', 'isolation']);

describe('"npm run prove -- --quick"', { timeout: 3 * TEST_TIMEOUT_MS }, () => {
  it('passes with every proof on each of its databases, and with soak and isolation on SQLite alone', async () => {
    using folder = commandFolder();
    const outcome = await runScript(folder.path, 'prove', '--quick', ...NAMES);
    assertPasses(outcome, 'short runs of all proofs');
    for (const name of NAMES) {
      const { databases } = PROOFS[name]!;
      for (const database of ON_SQLITE_ALONE.has(name) ? (['sqlite'] as const) : databases)
        assert.match(
          outcome.output,
          new RegExp(`│ '${name}' +│ '${TITLES[database]}' +│ .*│ 'passed' +│`),
          name,
        );
    }
    for (const name of ON_SQLITE_ALONE)
      assert.equal(outcome.output.match(new RegExp(`│ '${name}' +│`, 'g'))?.length, 1, name);
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
