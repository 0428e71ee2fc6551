import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManifestReader } from '../../src/course-packages/thread/manifest-reader.ts';
import { SCORM_12, scorm12Files, scorm12Package, scormManifest, zipOf } from '../support/course-packages.ts';
import { PackageFile } from './package-file.ts';

const never = new AbortController().signal;

/** A manifest that takes almost the maximum time to read. */
async function largePackage(): Promise<Buffer> {
  const inside = '<x>text</x>'.repeat(190_000);
  return await zipOf({ ...scorm12Files(), 'imsmanifest.xml': scormManifest(SCORM_12, { inside }) });
}

function request(file: PackageFile) {
  return { kind: 'package', file: file.path, limits: {} } as const;
}

describe('a reader of manifests', () => {
  it('reads several manifests in turn, and describes faults to the author of the package', async () => {
    await using file = await PackageFile.of(await scorm12Package({ title: 'One' }));
    await using broken = await PackageFile.of(Buffer.from('no zip'));
    await using reader = new ManifestReader();
    for (let round = 0; round < 3; round += 1) {
      const manifest = await reader.read(request(file), 'a', never);
      assert.equal(manifest.title, 'One');
      assert.equal(JSON.parse(manifest.units)[0].id, 'i1');
      assert.equal(JSON.parse(manifest.structure).items[0].id, 'i1');
      await assert.rejects(reader.read(request(broken), 'a', never), {
        name: 'PackageError',
        code: 'ZIP_UNREADABLE',
      });
    }
  });

  it('distinguishes an error of the machine from one of the package', async () => {
    await using reader = new ManifestReader();
    await assert.rejects(
      reader.read({ kind: 'package', file: '/nowhere/package.zip', limits: {} }, 'a', never),
      { name: 'Error', code: 'ENOENT' },
    );
  });

  it('gives up on a manifest that takes too long, and reads the next', async () => {
    await using large = await PackageFile.of(await largePackage());
    await using file = await PackageFile.of(await scorm12Package());
    await using hasty = new ManifestReader({ deadlineMs: 1 });
    await assert.rejects(hasty.read(request(large), 'a', never), { code: 'MANIFEST_TOO_SLOW' });
    await using reader = new ManifestReader();
    assert.equal((await reader.read(request(file), 'a', never)).learningStandard, 'SCORM_12');
  });

  it('gives up on a manifest that takes too much memory, and reads the next', async () => {
    await using large = await PackageFile.of(await largePackage());
    await using file = await PackageFile.of(await scorm12Package());
    await using reader = new ManifestReader({ memoryMiB: 16 });
    await assert.rejects(reader.read(request(large), 'a', never), { code: 'MANIFEST_TOO_COMPLEX' });
    assert.equal((await reader.read(request(file), 'a', never)).learningStandard, 'SCORM_12');
  });

  it('reads large manifests, one after another, with a third of the memory that a thread may have', async () => {
    await using large = await PackageFile.of(await largePackage());
    await using reader = new ManifestReader({ memoryMiB: 42 });
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await reader.read(request(large), 'a', never)).learningStandard, 'SCORM_12');
    }
  });

  it('reads on a new thread while an idle one is ending', async () => {
    await using file = await PackageFile.of(await scorm12Package({ title: 'One' }));
    await using reader = new ManifestReader({ idleMs: 1 });
    for (let round = 0; round < 10; round += 1) {
      assert.equal((await reader.read(request(file), 'a', never)).title, 'One');
      // This timer was started after the thread's, so it fires right after it.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });

  it('stops if its caller aborts', async () => {
    await using large = await PackageFile.of(await largePackage());
    await using reader = new ManifestReader();
    const leaving = new AbortController();
    const reading = reader.read(request(large), 'a', leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(reading, /gone/);
  });

  it('reads a course of one caller while another caller keeps it busy', async () => {
    await using large = await PackageFile.of(await largePackage());
    await using file = await PackageFile.of(await scorm12Package());
    await using reader = new ManifestReader();
    const order: string[] = [];
    const endHostile = () => order.push('hostile');
    const hostile = Array.from({ length: 3 }, () =>
      reader.read(request(large), 'hostile', never).then(endHostile, (error) => {
        // On a busy machine, the large ones may take too long.
        assert.equal(error.code, 'MANIFEST_TOO_SLOW');
        endHostile();
      }),
    );
    await reader.read(request(file), 'other', never).then(() => order.push('other'));
    await Promise.all(hostile);
    assert.ok(order.indexOf('other') <= 1, order.join());
  });
});
