import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PackageError } from '../../src/course-packages/package-error.ts';
import { extractPackage, inspectPackage } from '../../src/course-packages/read-package.ts';
import { aiccFiles, cmi5Files, type PackageFiles, scorm12Files, zipOf } from '../support/course-packages.ts';
import { PackageFile } from './package-file.ts';

const RUNS = 200;

// The last bytes of a zip are its directory, where damage does the most.
const DIRECTORY_BYTES = 400;

const damage = fc.array(
  fc.record({
    fromEnd: fc.oneof(fc.nat(DIRECTORY_BYTES), fc.nat()),
    value: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x7f, 0x80, 0xff)),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Resolves when the work succeeds or refuses the package; rejects with anything else that it throws. */
async function refusedOrDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof PackageError) return false;
    throw error;
  }
}

/**
 * Asserts that each extracted file has the whole content of a file of the package. Damage may have changed its name, or
 * removed files from the directory. The CRC protects the content.
 */
async function assertUndamaged(folder: string, files: PackageFiles): Promise<void> {
  const contents = new Set(Object.values(files).map((content) => Buffer.from(content).toString('base64')));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const content = await readFile(join(entry.parentPath, entry.name), 'base64');
    assert.ok(contents.has(content), `${entry.name} holds ${Buffer.from(content, 'base64')}`);
  }
}

describe('a damaged package is either read or rejected, and leaves nothing behind if it is rejected', () => {
  const packages: [what: string, files: PackageFiles, options?: Parameters<typeof zipOf>[1]][] = [
    ['deflated', scorm12Files()],
    ['stored, AICC', aiccFiles(), { compress: false }],
    ['stored, XML', cmi5Files(), { compress: false }],
    ['zip64', scorm12Files(), { zip64: true }],
  ];
  for (const [what, files, options] of packages) {
    it(what, async () => {
      const whole = await zipOf(files, options);
      await fc.assert(
        fc.asyncProperty(damage, async (changes) => {
          const zip = Buffer.from(whole);
          for (const { fromEnd, value } of changes) zip[zip.length - 1 - (fromEnd % zip.length)] = value;
          await using file = await PackageFile.of(zip);
          await refusedOrDone(inspectPackage(file.path));
          if (await refusedOrDone(extractPackage(file.path, file.destination)))
            await assertUndamaged(file.destination, files);
          else assert.deepEqual(await file.leftovers(), []);
        }),
        { numRuns: RUNS },
      );
    });
  }

  it('with a “<” among its first bytes, like XML', async () => {
    const whole = await zipOf(cmi5Files(), { compress: false });
    for (let at = 0; at < 30; at++) {
      const zip = Buffer.from(whole);
      zip[at] = '<'.charCodeAt(0);
      await using file = await PackageFile.of(zip);
      if (await refusedOrDone(extractPackage(file.path, file.destination)))
        await assertUndamaged(file.destination, cmi5Files());
    }
  });

  it('truncated anywhere', async () => {
    const whole = await zipOf(scorm12Files());
    await using file = await PackageFile.of(whole);
    for (let length = 0; length < whole.length; length += 7) {
      await writeFile(file.path, whole.subarray(0, length));
      assert.equal(
        await refusedOrDone(extractPackage(file.path, file.destination)),
        false,
        `${length} bytes`,
      );
      assert.deepEqual(await file.leftovers(), []);
    }
  });
});
