import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { extractPackage, inspectPackage } from '../../src/course-packages/read-package.ts';
import { scorm12Files, zipOf } from '../support/course-packages.ts';
import { PackageFile } from './package-file.ts';
import { rawZip } from './raw-zip.ts';

const EXECUTABLE = 0o100777;

/** Counts the fsyncs from now until the end of the test. */
async function countSyncs(test: TestContext): Promise<() => number> {
  await using handle = await open(import.meta.filename, 'r');
  const sync = test.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'sync');
  return () => sync.mock.callCount();
}

describe('extracting a package', () => {
  it('writes every file, byte for byte, to its folder, and returns the totals', async () => {
    const large = randomBytes(1_000_000);
    const files = {
      ...scorm12Files(),
      'media/videos/large.mp4': large,
      'media/empty.txt': '',
      'é/ü.txt': 'x',
    };
    await using file = await PackageFile.of(await zipOf(files));
    const bytes = Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0);

    assert.deepEqual(await extractPackage(file.path, file.destination), { files: 5, bytes });
    for (const [name, content] of Object.entries(files)) {
      assert.deepEqual(await readFile(join(file.destination, name)), Buffer.from(content), name);
    }
  });

  it('creates empty folders, and omits the files that macOS and Windows add', async () => {
    await using file = await PackageFile.of(
      rawZip([{ name: 'empty/folder/' }, { name: '__MACOSX/._a' }, { name: 'a/.DS_Store' }]),
    );
    assert.deepEqual(await extractPackage(file.path, file.destination), { files: 0, bytes: 0 });
    assert.deepEqual(await file.leftovers(), ['course', 'course/empty', 'course/empty/folder']);
  });

  it('writes the launch file to the described path', async () => {
    await using file = await PackageFile.of(await zipOf(scorm12Files()));
    const { units } = await inspectPackage(file.path);
    await extractPackage(file.path, file.destination);
    const launch = units[0]?.launch;
    assert.ok(launch?.kind === 'file');
    assert.ok((await stat(join(file.destination, launch.file))).isFile());
  });

  it('stops halfway if its caller aborts, and leaves nothing behind', async (test) => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`${index}.bin`, randomBytes(1_000)]),
    );
    await using file = await PackageFile.of(await zipOf(files));
    const syncs = await countSyncs(test);
    const leaving = new AbortController();
    const extraction = extractPackage(file.path, file.destination, { signal: leaving.signal });
    while (syncs() < 5) await setImmediate();
    leaving.abort(new Error('gone'));
    await assert.rejects(extraction, /gone/);
    assert.ok(syncs() < 100, `${syncs()} files were written`);
    assert.deepEqual(await file.leftovers(), []);
  });

  it('ignores the file permissions of the zip', async () => {
    await using file = await PackageFile.of(rawZip([{ name: 'a.sh', mode: EXECUTABLE }]));
    await extractPackage(file.path, file.destination);
    assert.equal((await stat(join(file.destination, 'a.sh'))).mode & 0o111, 0);
  });

  it('syncs every file, every folder, the destination and its parent folder to disk', async (test) => {
    await using file = await PackageFile.of(await zipOf({ 'a.txt': 'a', 'b/c/d.txt': 'd' }));
    const syncs = await countSyncs(test);
    await extractPackage(file.path, file.destination);
    assert.equal(syncs(), 2 + 2 + 1 + 1);
  });

  it('into an existing folder is an error of the caller, and the folder does not change', async () => {
    await using file = await PackageFile.of(await zipOf(scorm12Files()));
    await mkdir(file.destination);
    await writeFile(join(file.destination, 'mine.txt'), 'mine');
    await assert.rejects(extractPackage(file.path, file.destination), { code: 'EEXIST' });
    assert.deepEqual(await file.leftovers(), ['course', 'course/mine.txt']);
  });

  it('reports an error of the machine unchanged, and removes what it wrote', async (test) => {
    await using file = await PackageFile.of(await zipOf({ 'a.txt': 'a', 'b.txt': 'b' }));
    await using handle = await open(file.path, 'r');
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    test.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'writeFile', async () => {
      throw full;
    });
    await assert.rejects(extractPackage(file.path, file.destination), full);
    assert.deepEqual(await file.leftovers(), []);
  });

  it('or inspecting a missing file is an error of the caller', async () => {
    await using file = await PackageFile.of(Buffer.alloc(0));
    const missing = join(file.folder, 'missing.zip');
    await assert.rejects(inspectPackage(missing), { code: 'ENOENT' });
    await assert.rejects(extractPackage(missing, file.destination), { code: 'ENOENT' });
  });

  it('respects the limits that the caller sets', async () => {
    await using file = await PackageFile.of(await zipOf({ 'a.txt': 'aaaa' }));
    await assert.rejects(extractPackage(file.path, file.destination, { limits: { totalBytes: 3 } }), {
      code: 'ZIP_TOO_LARGE',
    });
    await extractPackage(file.path, file.destination, { limits: { totalBytes: 4 } });
  });
});
