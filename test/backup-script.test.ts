import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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
function places(program: string, { keep = 2 } = {}) {
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
        env: {
          ...process.env,
          PATH: `${at('bin')}${path.delimiter}${process.env.PATH}`,
          COURSEWIRE: at('coursewire'),
          BACKUPS: at('backups'),
          COPIES: at('copies'),
          KEEP: String(keep),
        },
      }),
    /** Lets the script run this instead of a command of the system. */
    replace(command: string, program: string) {
      mkdirSync(at('bin'));
      writeFileSync(at('bin', command), `#!/bin/sh\n${program}\n`);
      chmodSync(at('bin', command), 0o755);
    },
    /** Makes `cp` copy a part and fail, as on a full disk. */
    breakCopying() {
      this.replace('cp', 'mkdir -p "$3" && echo half >"$3/coursewire.db"; exit 1');
    },
    repairCopying: () => rmSync(at('bin'), { recursive: true }),
    add(parent: 'private' | 'copies', name: string, days = 0) {
      mkdirSync(at(parent, name));
      const then = (Date.now() - days * DAY_MS) / SECOND_MS;
      utimesSync(at(parent, name), then, then);
    },
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

describe('the line of a crontab in the docs', () => {
  it('keeps two weeks and always the newest 14 backups, and removes what killed ones left', () => {
    using folder = temporaryFolder();
    const at = (name: string) => path.join(folder.path, name);
    const backups = Array.from({ length: 16 }, (_, n) => `2026-01-${String(n + 10)}`);
    const killed = '2026-01-01.partial-0b1d3c0e-6a56-4a55-9a41-2f9f9b0c7c11';
    for (const name of [...backups, OTHER, killed]) {
      mkdirSync(at(name));
      if (name !== backups[0]) utimesSync(at(name), 0, 0);
    }
    const [, line = ''] = /^0 3 \* \* \* .*?>\/dev\/null && (.*)$/m.exec(readFileSync(OPERATING, 'utf8'))!;
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', line.replaceAll('/mnt/backups/coursewire', folder.path)],
      {
        encoding: 'utf8',
      },
    );
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(readdirSync(folder.path).sort(), [backups[0], ...backups.slice(2), OTHER]);
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

  it('keeps the newest backups, however old the clock says they are', () => {
    using made = places(MAKES_A_BACKUP, { keep: 3 });
    const { status, stderr } = made.run();
    assert.deepEqual([status, stderr], [0, '']);
    for (const parent of ['private', 'copies'] as const)
      assert.deepEqual(made.names(parent).slice(0, 2), [OLD, RECENT]);
  });

  it('leaves no half of a copy that failed, and removes nothing else', () => {
    using made = places(MAKES_A_BACKUP);
    made.breakCopying();
    const { status, stderr } = made.run();
    assert.equal(status, 1);
    assert.match(stderr, /^coursewire-backup: .*\/backups\/20.* could not be copied to .*\/copies\n$/);
    assert.deepEqual(made.names('copies'), [OLD, RECENT, OTHER]);
    assert.equal(made.names('private').length, 4, 'the backup itself is complete and stays');
  });

  it('gives a copy its name only once it is on the disk, since a power failure could leave it empty', () => {
    using made = places(MAKES_A_BACKUP);
    made.replace('sync', 'ls "$2"; false');
    const { status, stdout, stderr } = made.run();
    assert.deepEqual([status, stdout], [1, 'DONE\ncoursewire.db\n']);
    assert.match(stderr, / could not be copied to /);
    assert.deepEqual(made.names('copies'), [OLD, RECENT, OTHER]);
  });

  it('does not fill the disk of the service while copying fails, and goes on once it works again', () => {
    using made = places(MAKES_A_BACKUP);
    made.breakCopying();
    for (const day of [20, 21, 22]) made.add('private', `2026-01-${day}-020000`, 5);
    const before = made.names('private');
    const { status, stderr } = made.run();
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^coursewire-backup: 3 backups in .* could not be copied to .*; there is no new one/,
    );
    assert.deepEqual(made.names('private'), before);
    assert.deepEqual(made.names('copies'), [OLD, RECENT, OTHER]);

    made.repairCopying();
    assert.equal(made.run().status, 0);
    const copies = made.names('copies');
    assert.ok(copies.includes('2026-01-22-020000'), 'the newest that had no copy');
    const ageOf = (parent: string) => statSync(made.at(parent, '2026-01-22-020000')).mtimeMs;
    assert.equal(ageOf('copies'), ageOf('private'), 'a late copy does not look like a new backup');
    assert.equal(copies.filter((name) => TODAY.test(name)).length, 3);
  });

  it('removes what killed backups and copies left, before it makes another one', () => {
    using made = places('exit 1');
    const [backup, copy] = ['2026-01-15-020000.partial-0b1d3c0e', '2026-01-15-020000.partial'];
    made.add('private', backup, 1);
    made.add('copies', copy, 1);
    made.add('copies', '2026-01-16-020000.partial');
    assert.equal(made.run().status, 1);
    assert.deepEqual(made.names('private'), [OLD, RECENT, OTHER]);
    assert.deepEqual(made.names('copies'), [OLD, RECENT, '2026-01-16-020000.partial', OTHER]);
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
