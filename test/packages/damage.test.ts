import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PackageError } from '../../src/packages/package-error.ts';
import { extractPackage, inspectPackage } from '../../src/packages/read-package.ts';
import { aiccFiles, cmi5Files, scorm12Files, zipOf } from '../support/course-packages.ts';
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

describe('a damaged package is read or refused, whatever the damage, and leaves nothing behind when it is refused', () => {
  const packages: [what: string, make: () => Promise<Buffer>][] = [
    ['deflated', () => zipOf(scorm12Files())],
    ['stored, AICC', () => zipOf(aiccFiles(), { compress: false })],
    ['stored, XML', () => zipOf(cmi5Files(), { compress: false })],
    ['zip64', () => zipOf(scorm12Files(), { zip64: true })],
  ];
  for (const [what, make] of packages) {
    it(what, async () => {
      const whole = await make();
      await fc.assert(
        fc.asyncProperty(damage, async (changes) => {
          const zip = Buffer.from(whole);
          for (const { fromEnd, value } of changes) zip[zip.length - 1 - (fromEnd % zip.length)] = value;
          await using file = await PackageFile.of(zip);
          await refusedOrDone(inspectPackage(file.path));
          const extracted = await refusedOrDone(extractPackage(file.path, file.destination));
          if (!extracted) assert.deepEqual(await file.leftovers(), []);
        }),
        { numRuns: RUNS },
      );
    });
  }

  it('cut short anywhere', async () => {
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
