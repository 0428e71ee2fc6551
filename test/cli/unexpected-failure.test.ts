import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runProgram } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Runs on SQLite alone: the failure comes before the database is opened.

/** A bug: it throws as soon as the service is prepared for unexpected failures. */
const BUG = `process.on('newListener', (event) => {
  if (event === 'uncaughtException') setImmediate(function faulty() { throw new TypeError('secret=hunter2'); });
});`;

async function crash(logLevel: string) {
  using folder = temporaryFolder();
  const settings = { data_dir: folder.path, port: 0, log_level: logLevel };
  return await runProgram(['serve'], settings, { preload: BUG });
}

describe('an unexpected failure', () => {
  it('ends the service with a line that has its place in the code', async () => {
    const { code, output, errors } = await crash('info');
    assert.deepEqual([code, errors], [1, '']);
    const { level, error } = JSON.parse(output.trimEnd().split('\n').at(-1)!);
    assert.equal(level, 'fatal');
    assert.match(error.stack, /^TypeError: secret=\[censored\]\n.* at .*faulty/);
  });

  it('is written to standard error if the log shows no such line', async () => {
    const { code, output, errors } = await crash('silent');
    assert.deepEqual([code, output], [1, '']);
    assert.match(
      errors,
      /^coursewire: the service ends because of an unexpected failure: TypeError: secret=\[censored\]\n.* at .*faulty/,
    );
  });
});
