import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import {
  type Answer,
  Api,
  createClient,
  requestToken,
  startTestService,
  type TestService,
  until,
} from '../support/service.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from './packages.ts';

// Runs on SQLite alone: forms are read before anything is stored.

const MEBIBYTE = 1024 * 1024;
const BOUNDARY = 'a-boundary';

/** A part of a form, as it is sent. */
function part(headers: string, content: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
}
const END = Buffer.from(`--${BOUNDARY}--\r\n`);
const filePart = (content: Uint8Array | string, name = 'file') =>
  part(`; name="${name}"; filename="c.zip"\r\nContent-Type: application/zip`, content);
const textPart = (name: string, value: string | Uint8Array) => part(`; name="${name}"`, value);

describe('uploads of course packages', () => {
  let service: TestService;
  let api: Api;
  let course: { id: number };
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { max_package_size: MEBIBYTE } }));
    api = service.api;
    course = await importCourse(service);
  });

  /** Posts a body just as it is. */
  async function postRaw(
    body: Uint8Array | readonly Uint8Array[],
    { path = '/courses', type = `multipart/form-data; boundary=${BOUNDARY}` } = {},
  ): Promise<Answer> {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': type },
      body: new Uint8Array(body instanceof Uint8Array ? body : Buffer.concat(body)),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  /** Asserts that the work leaves nothing behind: no course, no version, no file. */
  async function assertLeavesNothing(work: () => Promise<void>): Promise<void> {
    const state = async () => ({
      courses: (await api.get('/courses?limit=200')).body.data,
      versions: (await api.get(`/courses/${course.id}`)).body.versions.length,
      files: filesOf(service),
    });
    const before = await state();
    await work();
    assert.deepEqual(await state(), before);
  }

  it('accept the file before or after the fields', async () => {
    const bytes = await scormPackage();
    const fields = [textPart('name', 'Named'), textPart('folder_id', '1')];
    const fileFirst = await postRaw([filePart(bytes), ...fields, END]);
    const fileLast = await postRaw([...fields, filePart(bytes), END]);
    for (const answer of [fileFirst, fileLast]) {
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.equal(answer.body.name, 'Named');
    }
    assert.deepEqual(filesOf(service).tmp, []);
  });

  it('accept names in an encoding that their part declares', async () => {
    const name = part(
      '; name="name"\r\nContent-Type: text/plain; charset=iso-8859-1',
      Buffer.from('Müller', 'latin1'),
    );
    const answer = await postRaw([name, filePart(await scormPackage()), END]);
    assert.deepEqual([answer.status, answer.body.name], [201, 'Müller']);
  });

  it('accept names in any alphabet, whatever follows the form', async () => {
    const name = 'Безопасность 安全 🔥'.padEnd(100, '🔥');
    const body = [textPart('name', name), filePart(await scormPackage()), END, Buffer.from('an epilogue')];
    const answer = await postRaw(body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.equal(answer.body.name, name);
  });

  for (const [what, parts, expected] of [
    ['missing', [textPart('name', 'x')], { '/file': 'is required' }],
    ['none at all', [], { '/file': 'is required' }],
    [
      'unknown',
      [filePart('z'), textPart('nmae', 'x'), filePart('z', 'extra')],
      { '/nmae': 'is not a known member', '/extra': 'is not a known member' },
    ],
    [
      'repeated',
      [filePart('z'), filePart('z'), textPart('name', 'a'), textPart('name', 'b')],
      { '/file': 'must be given only once', '/name': 'must be given only once' },
    ],
    [
      'text where a file belongs, and a file where text does',
      [textPart('file', 'z'), filePart('z', 'name')],
      { '/file': 'must be a file: its part needs a filename', '/name': 'must be text, not a file' },
    ],
    [
      'not what they must be',
      [filePart('z'), textPart('folder_id', '1.5'), textPart('name', 'x'.repeat(5_000))],
      { '/folder_id': 'must be an integer', '/name': 'is too long' },
    ],
    [
      'in an encoding that it does not declare',
      [filePart('z'), textPart('name', Buffer.from('Müller', 'latin1'))],
      { '/name': 'must be UTF-8 without U+FFFD, which replaces a character that could not be read' },
    ],
    [
      'half of a character, which only a part in JSON can contain',
      [filePart('z'), part('; name="name"\r\nContent-Type: application/json', '"x\\ud83d"')],
      { '/name': 'must not contain an unpaired surrogate (half a character)' },
    ],
    [
      'without a name',
      [filePart('z'), part('', 'x'), part('; filename="c.zip"', 'x')],
      { '/': 'is not a known member' },
    ],
  ] as const) {
    it(`name every part of the form that is wrong: ${what}`, async () => {
      await assertLeavesNothing(async () => {
        const answer = await postRaw([...parts, END]);
        assert.equal(answer.body.type, 'urn:coursewire:problem:invalid-request');
        assert.deepEqual(problemErrors(answer, 400), expected);
      });
    });
  }

  it('accept a file alone as a version', async () => {
    await assertLeavesNothing(async () => {
      const form = uploadForm(await scormPackage(), { name: 'x', folder_id: '1' });
      assert.deepEqual(problemErrors(await api.post(`/courses/${course.id}/versions`, form), 400), {
        '/name': 'is not a known member',
        '/folder_id': 'is not a known member',
      });
    });
  });

  it('reject forms that are malformed, truncated or endless', async () => {
    const bytes = await scormPackage();
    await assertLeavesNothing(async () => {
      for (const body of [
        [Buffer.from('no form')],
        [filePart(bytes).subarray(0, 200)],
        [filePart(bytes)],
        [textPart('name', 'x').subarray(0, 40)],
        [textPart('__proto__', 'x'), filePart(bytes), END],
        [part('; name="name"\r\nContent-Type: application/json', '{'), filePart(bytes), END],
        [...Array.from({ length: 30 }, (_, index) => textPart(`n${index}`, 'x')), filePart(bytes), END],
      ]) {
        const answer = await postRaw(body);
        problemErrors(answer, 400);
        assert.equal(answer.body.type, 'urn:coursewire:problem:invalid-request');
      }
      const noBoundary = await postRaw([filePart(bytes), END], { type: 'multipart/form-data' });
      problemErrors(noBoundary, 400);
    });
  });

  it('refuse bodies of other kinds', async () => {
    const bytes = await scormPackage();
    await assertLeavesNothing(async () => {
      for (const type of [
        'application/json',
        'application/zip',
        'text/plain',
        'multipart/mixed; boundary=b',
      ]) {
        const refused = await postRaw(bytes, { type });
        problemErrors(refused, 415);
        assert.match(String(refused.body.detail), /must be multipart\/form-data/, type);
      }
      problemErrors(await api.post('/courses'), 415);
      problemErrors(await api.post(`/courses/${course.id}/versions`, { file: 'x' }), 415);
    });
    // All other routes still accept JSON and no forms.
    problemErrors(await api.post('/folders', uploadForm(bytes)), 415);
    problemErrors(await api.put(`/courses/${course.id}`, uploadForm(bytes)), 415);
  });

  it('refuse a course or a folder that does not exist', async () => {
    await assertLeavesNothing(async () => {
      problemErrors(await api.post('/courses/99999/versions', uploadForm(await scormPackage())), 404);
      const form = uploadForm(await scormPackage(), { folder_id: '99999' });
      assert.deepEqual(problemErrors(await api.post('/courses', form), 400), {
        '/folder_id': 'there is no folder 99999',
      });
    });
  });

  describe('of more than max_package_size', () => {
    const tooLarge = Buffer.alloc(MEBIBYTE + 1, 'x');

    it('are rejected because of their headers, before anything is read', async () => {
      await assertLeavesNothing(async () => {
        const upload = openUpload(service, { 'content-length': String(10 * MEBIBYTE) });
        upload.write(part('; name="file"; filename="c.zip"', '').subarray(0, 20));
        const { status, body } = await answerOf(upload);
        assert.equal(status, 413, body);
        upload.destroy();
      });
    });

    it('are refused as soon as they exceed it, while the client is still sending', async () => {
      await assertLeavesNothing(async () => {
        const upload = openUpload(service);
        upload.write(filePart(tooLarge));
        const { status, body } = await answerOf(upload);
        assert.equal(status, 413);
        assert.match(body, /larger than the 1048576 bytes/);
        // The service reads and drops the rest, so that a client can send everything before it reads the response.
        upload.end(Buffer.concat([...Array.from({ length: 20 }, () => tooLarge), END]));
        await once(upload, 'finish');
      });
    });

    it('are refused if they exceed it by one byte', async () => {
      await assertLeavesNothing(async () => {
        problemErrors(await postRaw([filePart(tooLarge), END]), 413);
        // Of the maximum size, and so read completely: it is not a zip file.
        const answer = await postRaw([filePart(tooLarge.subarray(1)), END]);
        assert.equal(answer.body.type, 'urn:coursewire:problem:invalid-package');
      });
    });
  });

  it('that end early leave nothing behind', async () => {
    await assertLeavesNothing(async () => {
      const upload = openUpload(service);
      upload.on('error', () => {});
      upload.write(filePart(Buffer.alloc(MEBIBYTE / 2)).subarray(0, MEBIBYTE / 4));
      await until(() => filesOf(service).tmp.length === 1, 'the upload is under way');
      upload.destroy();
      await until(() => filesOf(service).tmp.length === 0, 'its files are removed');
    });
    assert.deepEqual(
      service.logLines.filter(({ level }) => level === 'error'),
      [],
    );
  });

  it('are limited in number; callers beyond the limit are asked to retry later', async () => {
    await assertLeavesNothing(async () => {
      const uploads = Array.from({ length: 16 }, () => openUpload(service));
      for (const upload of uploads) {
        upload.on('error', () => {});
        upload.write(textPart('name', 'x'));
      }
      await until(() => filesOf(service).tmp.length === 16, 'all uploads are under way');
      const answer = await api.post('/courses', uploadForm(await scormPackage()));
      problemErrors(answer, 503);
      assert.equal(answer.headers.get('retry-after'), '30');
      const { clientId, clientSecret } = await createClient(service.settings.data_dir);
      const other = await requestToken(service.url, clientId, clientSecret);
      const otherAnswer = await new Api(service.url, other).post(
        '/courses',
        uploadForm(await scormPackage()),
      );
      assert.equal(otherAnswer.status, 201);
      assert.equal((await api.delete(`/courses/${otherAnswer.body.id}`)).status, 204);
      for (const upload of uploads) upload.destroy();
      await until(() => filesOf(service).tmp.length === 0, 'all uploads are gone');
    });
    await importCourse(service);
  });
});

/** Begins an upload, chunked unless its length is announced. */
function openUpload({ url, api }: TestService, headers: Record<string, string> = {}) {
  return request(`${url}/courses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...headers,
    },
  });
}

async function answerOf(upload: ReturnType<typeof request>): Promise<{ status: number; body: string }> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}
