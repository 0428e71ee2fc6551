import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import {
  AuthSecretError,
  keepAuthSecret,
  makeAuthSecret,
  readAuthSecret,
  removeAuthSecret,
} from './auth-secret.ts';

/** Files of a race: more processes than cores, so that they really meet. */
const RACERS = 6;

/** As at a start with a new database. */
function keptAuthSecret(file: string): string {
  return readAuthSecret(file) ?? keepAuthSecret(file, makeAuthSecret());
}

function secretFileIn(folder: { path: string }): string {
  return path.join(folder.path, 'webhooks_auth_secret');
}

function assertSaidClearly(file: string, what: RegExp): void {
  assert.throws(
    () => keptAuthSecret(file),
    (error) => {
      assert.ok(error instanceof AuthSecretError, String(error));
      assert.ok(error.message.includes(file), error.message);
      assert.match(error.message, what);
      return true;
    },
  );
}

describe('the stored webhooks_auth_secret', () => {
  test('is created at the first start, with 64 characters, readable only by its owner', () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    const secret = keptAuthSecret(file);
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.equal(readFileSync(file, 'utf8').trim(), secret);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.path), ['webhooks_auth_secret'], 'no draft stays');
  });

  test('is the same at every later start, and another in every folder', () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    const secret = keptAuthSecret(secretFileIn(folder));
    assert.equal(keptAuthSecret(secretFileIn(folder)), secret);
    assert.notEqual(keptAuthSecret(secretFileIn(other)), secret);
  });

  test('one that was created manually is used unchanged', () => {
    using folder = temporaryFolder();
    const secret = `${'S'.repeat(32)} ${'€'.repeat(31)}`;
    writeFileSync(secretFileIn(folder), `${secret}\r\n`);
    assert.equal(keptAuthSecret(secretFileIn(folder)), secret);
  });

  test('is created once, even if several processes start at the same moment', async () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    const program =
      `import { keepAuthSecret, makeAuthSecret } from ${JSON.stringify(new URL('./auth-secret.ts', import.meta.url).href)};` +
      `process.stdin.once('data', () => { process.stdout.write(keepAuthSecret(${JSON.stringify(file)}, makeAuthSecret())); process.exit(0); });` +
      `process.stderr.write('ready');`;
    const racers = Array.from({ length: RACERS }, () =>
      spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' }),
    );
    await Promise.all(racers.map((racer) => once(racer.stderr, 'data')));
    const secrets = racers.map((racer) => text(racer.stdout));
    for (const racer of racers) racer.stdin.end('go');
    const answers = new Set(await Promise.all(secrets));
    assert.deepEqual(answers, new Set([readFileSync(file, 'utf8').trim()]));
    assert.deepEqual(readdirSync(folder.path), ['webhooks_auth_secret']);
  });

  test('an interrupted startup does not block the next one', () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    // In a container every start has the same process id.
    for (const leftover of [`${file}.${process.pid}`, `${file}.draft`]) writeFileSync(leftover, 'half');
    assert.match(keptAuthSecret(file), /^[0-9a-f]{64}$/);
  });

  test('is removed only by the startup that created it, not by one that lost against it', () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    const secret = keptAuthSecret(file);
    removeAuthSecret(file, makeAuthSecret());
    assert.equal(readAuthSecret(file), secret);
    removeAuthSecret(file, secret);
    assert.equal(readAuthSecret(file), null);
  });

  test('a damaged file causes a clear error, and is neither replaced nor shown', () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    for (const damaged of ['', '\n', 'too short', 'x'.repeat(63), 'x'.repeat(65), '\u0000'.repeat(4_096)]) {
      writeFileSync(file, damaged);
      assertSaidClearly(file, /must contain 64 characters but contains \d+; restore it from a backup$/);
      assert.equal(readFileSync(file, 'utf8'), damaged);
    }
  });

  test('a file is measured in characters, of which an emoji is one', () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    writeFileSync(file, '🚒'.repeat(63));
    assertSaidClearly(file, /must contain 64 characters but contains 63;/);
    writeFileSync(file, '🚒'.repeat(64));
    assert.equal(readAuthSecret(file), '🚒'.repeat(64));
  });

  test('a file that cannot be read causes a clear error', () => {
    using folder = temporaryFolder();
    const file = secretFileIn(folder);
    mkdirSync(file);
    assertSaidClearly(file, /cannot be read: E/);
  });

  test('a folder that cannot be written causes a clear error', {
    skip: process.getuid?.() === 0 ? 'root writes everywhere' : false,
  }, () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o500);
    assertSaidClearly(secretFileIn(folder), /cannot be created: E/);
    chmodSync(folder.path, 0o700);
  });

  test('a missing folder causes a clear error', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'missing', 'webhooks_auth_secret');
    assertSaidClearly(file, /cannot be created: E/);
    assert.ok(!existsSync(file));
  });
});
