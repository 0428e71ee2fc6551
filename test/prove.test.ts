// Runs on SQLite alone: the command starts PostgreSQL by itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { PROOFS } from '../scripts/proofs.ts';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';

const ROOT = path.join(import.meta.dirname, '..');
const TITLES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

test('"npm run prove -- --quick" runs every proof on each of its databases, and all of them pass', {
  timeout: 3 * TEST_TIMEOUT_MS,
}, async () => {
  const child = spawn(process.execPath, ['scripts/prove.ts', '--quick'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], output, errors] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  assert.equal(code, 0, output + errors);
  for (const [name, { databases }] of Object.entries(PROOFS))
    for (const database of databases)
      assert.match(output, new RegExp(`│ '${name}' +│ '${TITLES[database]}' +│ .*│ 'passed' +│`), name);
});
