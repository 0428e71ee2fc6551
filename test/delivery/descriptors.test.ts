import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';

const PROGRAM = fileURLToPath(new URL('descriptors-program.ts', import.meta.url));
/** Enough for the program itself. */
const DESCRIPTORS = 256;

describe('delivery without a free file descriptor', () => {
  it('counts no attempt, and continues in order once one is free', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    const limited = `ulimit -n ${DESCRIPTORS} && exec "$0" "$@"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, PROGRAM]);
    const [result = ''] = stdout.split('\n', 1);
    assert.deepEqual(JSON.parse(result), {
      receiveCount: 0,
      reason: 'too many open files on this machine',
      lookup: 'EMFILE',
      attempts: ['success', 'success'],
    });
  });
});
