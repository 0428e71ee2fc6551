import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PackageError } from '../../src/course-packages/package-error.ts';
import { ManifestReader } from '../../src/course-packages/thread/manifest-reader.ts';
import { scorm12Package, zipOf } from '../support/course-packages.ts';
import { HOSTILE_MANIFESTS } from './hostile-manifests.ts';
import { PackageFile } from './package-file.ts';

// Needs a process of its own: it measures the memory of the process.

const MEBIBYTE = 1024 * 1024;
const ROUNDS = 2;
const LOOK_EVERY_MS = 5;
const MOST_MORE_MIB = 36;
const MOST_KEPT_MIB = 18;

it('hostile manifests, one after another, take little memory and keep less', async () => {
  await using opened = new AsyncDisposableStack();
  const small = opened.use(await PackageFile.of(await scorm12Package()));
  const hostile: PackageFile[] = [];
  for (const files of Object.values(HOSTILE_MANIFESTS)) {
    hostile.push(opened.use(await PackageFile.of(await zipOf(files()))));
  }
  const reader = opened.use(new ManifestReader());
  const read = async ({ path }: PackageFile) => {
    const request = { kind: 'package', file: path, limits: {} } as const;
    await reader.read(request, 'a', new AbortController().signal).catch((error: unknown) => {
      assert.ok(error instanceof PackageError, String(error));
    });
  };
  const mib = () => process.memoryUsage.rss() / MEBIBYTE;
  await read(small);

  const before = mib();
  let peak = before;
  const look = setInterval(() => {
    peak = Math.max(peak, mib());
  }, LOOK_EVERY_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const file of hostile) await read(file);
  }
  clearInterval(look);
  // It is read only once the thread has released the memory of the others.
  await read(small);
  const kept = mib() - before;

  assert.ok(peak - before < MOST_MORE_MIB, `${Math.round(peak - before)} MiB more`);
  assert.ok(kept < MOST_KEPT_MIB, `${Math.round(kept)} MiB kept`);
});
