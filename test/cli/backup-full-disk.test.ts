import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { dataFolderPaths, lockDataFolder } from '../../src/database/data-folder.ts';
import { importCourse } from '../content/packages.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const DISK_MIB = 32;

it('coursewire backup copies the data of a stopped service from a disk without a free byte, unless a crash left changes in its log', {
  skip: ON_POSTGRES ? 'the embedded database only' : false,
}, async (t) => {
  const disk = await mountSmallDisk(DISK_MIB);
  if (typeof disk === 'string') return t.skip(disk);
  await using _mounted = disk;
  using elsewhere = temporaryFolder();
  const settings = { data_dir: disk.folder };
  await using service = await startTestService({ dataDir: disk.folder });
  const course = await importCourse(service);
  await service.stop();
  const place = path.join(elsewhere.path, 'compact');
  const log = path.join(disk.folder, 'coursewire.db-wal');

  writeFileSync(log, 'changes');
  disk.fill();
  const refused = await runProgram(['backup', '--to', place], settings);
  assert.equal(refused.code, 1);
  assert.match(refused.errors, /the disk of \S+ is full\. Make room for 1 MiB on it/);

  disk.empty();
  rmSync(log);
  disk.fill();
  const lock = lockDataFolder(dataFolderPaths(disk.folder), undefined, { needsNoRoom: true });
  const locked = await runProgram(['backup', '--to', place], settings);
  assert.match(locked.errors, /is in use by another process.*; stop it first$/m);
  lock[Symbol.dispose]();

  const content = path.join(disk.folder, 'content');
  renameSync(content, `${content}-away`);
  mkdirSync(content);
  const incomplete = await runProgram(['backup', '--to', place], settings);
  assert.match(incomplete.errors, /the files of 1 course version are missing in \S+: no backup was made/);
  rmSync(content, { recursive: true });
  renameSync(`${content}-away`, content);

  const made = await runProgram(['backup', '--to', place], settings);
  assert.deepEqual([made.code, made.errors], [0, '']);
  await using restored = await startTestService({ dataDir: place });
  assert.equal((await restored.api.get('/courses')).body.data[0].id, course.id);
});
