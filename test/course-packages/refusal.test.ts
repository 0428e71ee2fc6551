import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { PackageError } from '../../src/course-packages/package-error.ts';
import { extractPackage, inspectPackage } from '../../src/course-packages/read-package.ts';
import { PackageFile } from './package-file.ts';
import { REFUSED_PACKAGES, type RefusedPackage } from './refused-packages.ts';

const MESSAGE_CHARACTERS = 500;

async function refusal(work: Promise<unknown>): Promise<PackageError> {
  const error = await work.then(
    () => assert.fail('it was accepted'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof PackageError, `not a refusal: ${String(error)}`);
  return error;
}

describe('a faulty package is rejected with the code of its fault, and leaves nothing on disk', () => {
  for (const [fault, { code, seenIn, make }] of Object.entries<RefusedPackage>(REFUSED_PACKAGES)) {
    it(`${fault}: ${code}`, async () => {
      await using file = await PackageFile.of(await make());

      if (seenIn !== 'content') {
        const error = await refusal(inspectPackage(file.path));
        assert.equal(error.code, code);
        assert.ok(error.message.length <= MESSAGE_CHARACTERS, error.message);
        assert.doesNotMatch(error.message, /\p{Cc}/u);
      }
      if (seenIn !== 'course') {
        const error = await refusal(extractPackage(file.path, file.destination));
        assert.equal(error.code, code);
        assert.deepEqual(await file.leftovers(), []);
        assert.ok(!existsSync(join(dirname(file.folder), 'evil.txt')), 'written outside');
      }
    });
  }
});
