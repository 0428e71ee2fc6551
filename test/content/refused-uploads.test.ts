import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PackageError } from '../../src/course-packages/package-error.ts';
import { extractPackage, inspectPackage } from '../../src/course-packages/read-package.ts';
import { REFUSED_PACKAGES, type RefusedPackage } from '../course-packages/refused-packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { readAnswer, startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from './packages.ts';

// Runs on SQLite alone: packages are refused before anything is stored.

/** Why a package is refused by the step that finds the fault, with the limits that packages have by default. */
async function refusalOf(bytes: Uint8Array, seenIn: RefusedPackage['seenIn']): Promise<string> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'package.zip');
  await writeFile(file, bytes);
  try {
    await (seenIn === 'content'
      ? extractPackage(file, path.join(folder.path, 'content'))
      : inspectPackage(file));
  } catch (error) {
    assert.ok(error instanceof PackageError, String(error));
    return error.message;
  }
  return assert.fail('the package is not refused');
}

describe('unusable packages are rejected with the reason and leave nothing behind', () => {
  let service: TestService;
  let course: { id: number };
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    course = await importCourse(service);
  });

  for (const [what, { make, seenIn }] of Object.entries(REFUSED_PACKAGES)) {
    it(what, async () => {
      const { api } = service;
      const bytes = new Uint8Array(await make());
      const expected = await refusalOf(bytes, seenIn);
      for (const route of ['/courses', `/courses/${course.id}/versions`]) {
        const answer = await api.post(route, uploadForm(bytes));
        const { '/file': reason, ...others } = problemErrors(answer, 400);
        assert.equal(answer.body.type, 'urn:coursewire:problem:invalid-package');
        assert.equal(answer.body.detail, reason);
        assert.equal(reason, expected);
        assert.deepEqual(others, {});
      }
      const files = filesOf(service);
      assert.equal(files.content.length, 1);
      assert.deepEqual(files.tmp, []);
      const { data } = (await api.get('/courses')).body;
      assert.deepEqual(data, [course]);
    });
  }

  it('a compressed form', async () => {
    const form = new Response(uploadForm(new Uint8Array(await scormPackage())));
    const body = gzipSync(await form.bytes());
    const headers = {
      authorization: `Bearer ${service.api.token}`,
      'content-type': form.headers.get('content-type') ?? '',
      'content-encoding': 'gzip',
    };
    const answer = await readAnswer(await fetch(`${service.url}/courses`, { method: 'POST', headers, body }));
    problemErrors(answer, 415);
    assert.match(answer.body.detail, /no Content-Encoding/);
    assert.deepEqual(filesOf(service).tmp, []);
    assert.deepEqual((await service.api.get('/courses')).body.data, [course]);
  });
});
