import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { it, type TestContext } from 'node:test';
import { UploadFolders } from '../../src/content/courses/upload-folders.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** More than the uploads that a caller may have at a time. */
const MANY = 20;

/** A disk on which no folder can be created. */
function withoutNewFolders({ mock }: TestContext, code: string): Disposable {
  const refused = mock.method(fs, 'mkdtemp', async () => {
    throw Object.assign(new Error('no folder'), { code });
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      refused.mock.restore();
      syncBuiltinESMExports();
    },
  };
}

it('an upload that begins while the disk is full is refused for now, and takes no place of a later one', async (t) => {
  using folder = temporaryFolder();
  const uploads = new UploadFolders({ folder: folder.path, log: SILENT_LOGS.for('CourseService') });
  for (const code of ['ENOSPC', 'EDQUOT']) {
    using _full = withoutNewFolders(t, code);
    for (let n = 0; n < MANY; n += 1) {
      await assert.rejects(uploads.open('author'), {
        code: 'unavailable',
        message: 'The service does not have enough disk space for the package',
        headers: { 'Retry-After': '30' },
      });
    }
  }
  await using _later = await uploads.open('author');
});

it('an upload whose folder cannot be created for another reason fails with that reason', async (t) => {
  using folder = temporaryFolder();
  const uploads = new UploadFolders({ folder: folder.path, log: SILENT_LOGS.for('CourseService') });
  using _forbidden = withoutNewFolders(t, 'EACCES');
  await assert.rejects(uploads.open('author'), { code: 'EACCES' });
});
