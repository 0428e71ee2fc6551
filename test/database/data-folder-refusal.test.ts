import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lockDataFolder, openDataFolder } from '../../src/database/data-folder.ts';
import { runCommand } from '../support/command-line-in-process.ts';
import { temporaryFolder } from '../support/service.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

// Runs on SQLite alone: the folder of the embedded database is its subject.

const DISK_MIB = 1;

/** A small disk, or null after the test was skipped, because the system cannot mount one. */
async function diskOf(t: TestContext): Promise<SmallDisk | null> {
  const disk = await mountSmallDisk(DISK_MIB);
  if (typeof disk !== 'string') return disk;
  t.skip(disk);
  return null;
}

const CREATE = ['client', 'create', '--name', 'a', '--email', 'a@example.com'];

describe('a data folder with a long path', () => {
  it('is refused if SQLite opens no file there, and is not created', async () => {
    using folder = temporaryFolder();
    const first = path.join(folder.path, 'x'.repeat(250));
    const longest = path.join(first, 'y'.repeat(488 - Buffer.byteLength(first) - 1));
    const created = await runCommand(CREATE, { data_dir: longest });
    assert.equal(created.code, 0, created.err);
    const tooLong = `${longest}y`;
    const { code, err } = await runCommand(CREATE, { data_dir: tooLong });
    assert.deepEqual(
      [code, err],
      [
        1,
        `coursewire: the path of the data folder ${tooLong} has 489 bytes, but may have at most 488, because SQLite limits the ` +
          'paths of its files. Set data_dir to a shorter path\n',
      ],
    );
    assert.ok(!existsSync(tooLong));
  });
});

describe('a data folder that belongs to someone else', () => {
  for (const foreign of ['mine.txt', path.join('tmp', 'mine')]) {
    it(`is refused because of ${foreign}, and stays as it was`, async () => {
      using folder = temporaryFolder();
      const file = path.join(folder.path, foreign);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, 'mine');
      chmodSync(folder.path, 0o755);
      const before = readdirSync(folder.path);
      const { code, err } = await runCommand(CREATE, { data_dir: folder.path });
      assert.deepEqual(
        [code, err],
        [
          1,
          `coursewire: the data folder ${folder.path} is not empty and has no database: it has ${file}. ` +
            'Set data_dir to a folder of its own\n',
        ],
      );
      assert.equal(statSync(folder.path).mode & 0o777, 0o755);
      assert.deepEqual(readdirSync(folder.path), before);
      assert.equal(readFileSync(file, 'utf8'), 'mine');
    });
  }

  it('is refused even if it has folders of the same names as those of the service', async () => {
    using folder = temporaryFolder();
    for (const name of ['content', 'tmp']) mkdirSync(path.join(folder.path, name));
    const file = path.join(folder.path, 'mine.txt');
    writeFileSync(file, 'mine');
    const { code, err } = await runCommand(CREATE, { data_dir: folder.path });
    assert.equal(code, 1, err);
    assert.match(err, /is not empty and has no database: it has .*mine\.txt/);
  });

  it('is refused with PostgreSQL, too, unless the service has used it before', () => {
    using folder = temporaryFolder();
    const use = { holdsDatabase: false };
    const file = path.join(folder.path, 'db-ca.pem');
    writeFileSync(file, '');
    chmodSync(folder.path, 0o755);
    assert.throws(() => openDataFolder(folder.path, use), {
      name: 'DataFolderError',
      message: `the data folder ${folder.path} is not empty: it has ${file}. Set data_dir to a folder of its own`,
    });
    assert.equal(statSync(folder.path).mode & 0o777, 0o755);
    rmSync(file);
    openDataFolder(folder.path, use);
    writeFileSync(file, '');
    openDataFolder(folder.path, use);
  });
});

describe('a data folder without a database', () => {
  it('is used if it has only what the service, a file system or a file manager makes', () => {
    using folder = temporaryFolder();
    for (const name of ['content', 'tmp/upload-abc', 'lost+found', 'courses'])
      mkdirSync(path.join(folder.path, name), { recursive: true });
    for (const name of ['webhooks_auth_secret', 'coursewire.db-wal', 'coursewire.yaml', '.DS_Store'])
      writeFileSync(path.join(folder.path, name), '');
    const contentStore = path.join(folder.path, 'courses', 'of-coursewire');
    openDataFolder(folder.path, { contentStore });
    assert.ok(existsSync(path.join(folder.path, 'coursewire.db')));
  });

  it('is used if it has files of others once it has a database', () => {
    using folder = temporaryFolder();
    openDataFolder(folder.path);
    writeFileSync(path.join(folder.path, 'notes.txt'), '');
    openDataFolder(folder.path);
  });
});

describe('a data folder that cannot be used', () => {
  it('is refused with the reason if it is a file or below one', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'data');
    writeFileSync(file, '');
    for (const place of [file, path.join(file, 'inner')])
      assert.throws(() => openDataFolder(place), {
        name: 'DataFolderError',
        message: `the data folder ${place} cannot be used: ${file} is a file. Name a folder`,
      });
  });

  it('is refused with what to do if its file system is read-only, also if it is missing there', async (t) => {
    await using disk = await diskOf(t);
    if (disk === null) return;
    openDataFolder(disk.folder);
    execFileSync('mount', ['-o', 'remount,ro', path.dirname(disk.folder)]);
    for (const folder of [disk.folder, path.join(disk.folder, 'missing', 'data')]) {
      assert.throws(() => openDataFolder(folder), {
        name: 'DataFolderError',
        message: `the data folder ${folder} cannot be used: the file system of ${disk.folder} is read-only. Mount it for writing`,
      });
    }
  });

  it('is not called in use by another process if its disk is full', async (t) => {
    await using disk = await diskOf(t);
    if (disk === null) return;
    const folder = openDataFolder(disk.folder);
    disk.fill();
    assert.throws(() => lockDataFolder(folder), {
      name: 'DataFolderError',
      message: `the data folder ${disk.folder} cannot be used: the disk is full. Make room on it`,
    });
  });

  it('is not called in use by another process if its lock file is damaged', () => {
    using folder = temporaryFolder();
    const places = openDataFolder(folder.path);
    writeFileSync(path.join(folder.path, 'coursewire.lock'), 'no lock'.repeat(100));
    assert.throws(() => lockDataFolder(places), {
      name: 'DataFolderError',
      message: `the data folder ${folder.path} cannot be used: file is not a database`,
    });
  });
});

describe('a backup to a place that cannot be written', () => {
  it('fails with what to do', async (t) => {
    await using disk = await diskOf(t);
    if (disk === null) return;
    using folder = temporaryFolder();
    const settings = { data_dir: folder.path };
    const created = await runCommand(CREATE, settings);
    assert.equal(created.code, 0, created.err);
    execFileSync('mount', ['-o', 'remount,ro', path.dirname(disk.folder)]);
    const place = path.join(disk.folder, 'monday');
    const { code, err } = await runCommand(['backup', '--to', place], settings);
    assert.equal(code, 1);
    assert.equal(
      err,
      `coursewire: no backup was made in ${place}: the file system of ${disk.folder} is read-only. Mount it for writing\n`,
    );
  });
});
