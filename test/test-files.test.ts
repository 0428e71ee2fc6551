import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { testPrograms } from '../scripts/tests/processes.ts';
import { assertPasses, commandFolder, ROOT, runScript, writeFiles } from './support/npm-scripts.ts';

const PASSING_TEST = "import { test } from 'node:test';\ntest('passes', () => {});\n";

describe('test files', () => {
  it('"npm run test:pg" runs every test that touches a database, and "npm test" those that do not repeat others there', async () => {
    using folder = commandFolder();
    const [all, needed] = await Promise.all(
      ['test:pg', 'test:all'].map(async (command) => {
        const listed = await runScript(folder.path, command, '--list');
        assertPasses(listed, command);
        return listed.output.trim().split('\n');
      }),
    );
    for (const file of [
      'src/ui-api/name-search.test.ts',
      'test/thread.test.ts',
      'test/queue/sqs-placing.test.ts',
    ])
      assert.ok(all!.includes(file) && needed!.includes(file), file);
    for (const file of ['test/commands.test.ts', 'test/http/openapi.test.ts', 'test/ui/setup.test.ts'])
      assert.ok(!all!.includes(file), file);
    assert.ok(all!.includes('test/delivery/retries.test.ts'));
    const repeats = (file: string) =>
      /^\/\/ Runs on SQLite in `npm test`: \w/m.test(readFileSync(path.join(ROOT, file), 'utf8'));
    assert.deepEqual(
      needed,
      all!.filter((file) => !repeats(file)),
    );
  });

  it('"npm run test:only" runs several files of a folder in one process, except those that need their own', () => {
    using folder = commandFolder();
    const files = {
      'src/one.test.ts': PASSING_TEST,
      'src/room/two.test.ts': PASSING_TEST,
      'src/hook.test.ts': `import { afterEach } from 'node:test';\n${PASSING_TEST}afterEach(() => {});\n`,
      'src/alone.test.ts': `// Needs a process of its own: it counts its descriptors.\n${PASSING_TEST}`,
      'test/service.test.ts': PASSING_TEST,
      'test/ui/page.test.ts': PASSING_TEST,
    };
    writeFiles(folder.path, files);
    using programs = testPrograms(Object.keys(files), folder.path);
    const [page, shared, ...others] = programs.files;
    assert.equal(page, 'test/ui/page.test.ts', 'what takes longest begins first');
    assert.deepEqual(others, ['src/hook.test.ts', 'src/alone.test.ts', 'test/service.test.ts']);
    const imported = [...readFileSync(shared!, 'utf8').matchAll(/^import "(.+)";$/gm)].map(([, url]) => url);
    const shares = ['src/one.test.ts', 'src/room/two.test.ts'];
    assert.deepEqual(
      imported,
      shares.map((file) => pathToFileURL(path.join(folder.path, file)).href),
    );
  });
});
