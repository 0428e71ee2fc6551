import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { DAY_MS, SECOND_MS } from '../src/time/units.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

// Runs on SQLite alone: a small script replaces the program.

const SCRIPT = path.join(import.meta.dirname, '../deploy/backup.sh');
const OPERATING = path.join(import.meta.dirname, '../docs/operating.md');
const TODAY = /^20\d\d-\d\d-\d\d-\d{6}$/;
const [OLD, RECENT, OTHER] = ['2026-01-01-020000', '2026-01-14-020000', 'kept'];

/** The two folders of the script, each with backups of 20 and of 2 days ago and a folder that is not one. */
function places(program: string) {
  const folder = temporaryFolder();
  const at = (...names: string[]) => path.join(folder.path, ...names);
  // The service's folder is a symbolic link, as systemd creates it.
  for (const parent of ['private', 'copies'])
    for (const [name, days] of [
      [OLD, 20],
      [RECENT, 2],
      [OTHER, 20],
    ] as const) {
      mkdirSync(at(parent, name), { recursive: true });
      writeFileSync(at(parent, name, 'coursewire.db'), '');
      const then = (Date.now() - days * DAY_MS) / SECOND_MS;
      utimesSync(at(parent, name), then, then);
    }
  symlinkSync('private', at('backups'));
  writeFileSync(at('coursewire'), `#!/bin/sh\n${program}\n`);
  chmodSync(at('coursewire'), 0o755);
  return {
    at,
    run: () =>
      spawnSync('sh', [SCRIPT], {
        encoding: 'utf8',
        env: { ...process.env, COURSEWIRE: at('coursewire'), BACKUPS: at('backups'), COPIES: at('copies') },
      }),
    names: (parent: 'private' | 'copies') => readdirSync(at(parent)).sort(),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const MAKES_A_BACKUP =
  '[ "$1 $2" = "backup --to" ] && mkdir "$3" && echo data > "$3/coursewire.db" && echo DONE';

/** Runs the command of the docs for monitoring on a folder with the given backups. Returns whether it found a recent one. */
function findsRecentBackup(names: readonly string[]): boolean {
  using folder = temporaryFolder();
  for (const name of names) mkdirSync(path.join(folder.path, name));
  const [, command = ''] = /```sh\n(find \/mnt\/backups\/coursewire .*-mtime -2 .*)\n/.exec(
    readFileSync(OPERATING, 'utf8'),
  )!;
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', command.replace('/mnt/backups/coursewire', folder.path)],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(stderr, '');
  return status === 0;
}

describe('the command that monitoring runs to check the age of the newest backup', () => {
  it('succeeds if there is a recent backup', () => {
    assert.equal(findsRecentBackup(['2026-11-27']), true);
  });

  it('fails if there are only folders of backups that were killed', () => {
    const killed = ['2026-11-27.partial-0b1d3c0e-6a56-4a55-9a41-2f9f9b0c7c11', '2026-11-27-020000.partial'];
    assert.equal(findsRecentBackup(killed), false);
  });
});

describe('deploy/backup.sh', () => {
  it('makes a backup with the date in its name and a copy of it, and removes old ones', () => {
    using made = places(MAKES_A_BACKUP);
    const { status, stderr } = made.run();
    assert.deepEqual([status, stderr], [0, '']);
    for (const parent of ['private', 'copies'] as const) {
      const [recent, today, other, ...more] = made.names(parent);
      assert.deepEqual([recent, other, more], [RECENT, OTHER, []]);
      assert.match(today!, TODAY);
      assert.deepEqual(readdirSync(made.at(parent, today!)), ['coursewire.db']);
    }
  });

  it('fails with a line on standard error and removes nothing if the backup fails or is not complete', () => {
    for (const program of ['exit 1', `${MAKES_A_BACKUP}; exit 1`]) {
      using made = places(program);
      const { status, stderr } = made.run();
      assert.equal(status, 1);
      assert.match(stderr, /^coursewire-backup: the backup .*\/backups\/20.* failed\n$/);
      assert.deepEqual(made.names('copies'), [OLD, RECENT, OTHER]);
      assert.ok(made.names('private').includes(OLD));
    }
  });

  it('fails before the backup if the other disk is not mounted', () => {
    using made = places(MAKES_A_BACKUP);
    rmSync(made.at('copies'), { recursive: true });
    const { status, stderr } = made.run();
    assert.equal(status, 1);
    assert.match(stderr, /^coursewire-backup: there is no folder .*\/copies: is the disk mounted\?\n$/);
    assert.deepEqual(made.names('private'), [OLD, RECENT, OTHER]);
  });
});
