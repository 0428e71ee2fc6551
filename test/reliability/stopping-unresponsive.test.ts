import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { MIB } from '../../src/bytes.ts';
import { newContentKey } from '../../src/content/files/content-key.ts';
import { DAY_MS } from '../../src/time/units.ts';
import { importCourse, uploadForm } from '../content/packages.ts';
import { changedConstants } from '../support/changed-constants.ts';
import { scorm12Files, zipOf } from '../support/course-packages.ts';
import { listenOnFreePort } from '../support/free-port.ts';
import { startS3, type TestS3 } from '../support/s3.ts';
import { type Api, startTestService, temporaryFolder } from '../support/service.ts';
import type { ServingProcess } from '../support/service-process.ts';
import { succeeds } from '../support/until.ts';
import { startWithApi } from './program-with-api.ts';

// Runs on SQLite in `npm test`: what a stop waits for outside of the database is the same on every database.

const SHUTDOWN_TIMEOUT_S = 1;
/** Long enough for a busy machine. */
const SOON_MS = 100_000;
/** Without a stop, requests wait longer than that for a response. */
const PATIENT_MS = 150_000;
const PATIENT = changedConstants({
  'src/content/files/s3-limits.ts': { REQUEST_DEADLINE_MS: PATIENT_MS },
  'src/content/files/s3-content-store.ts': { UPLOAD_DEADLINE_MS: PATIENT_MS },
  'src/alerts/notices/mailer.ts': { DEADLINE_MS: PATIENT_MS },
});

function settingsOf({ bucket, endpoint }: TestS3, dataDir: string) {
  return {
    data_dir: dataDir,
    shutdown_timeout: SHUTDOWN_TIMEOUT_S,
    content_store: `s3://${bucket}`,
    content_store_endpoint: endpoint,
  };
}

const startPatient: typeof startWithApi = (settings, options) =>
  startWithApi(settings, { ...options, preload: PATIENT });

/** Lets a store respond no more from the first request that matches. Resolves with that request. */
async function silencedAt(s3: TestS3, pattern: RegExp): Promise<string> {
  const { promise: first, resolve } = Promise.withResolvers<string>();
  let isSilent = false;
  s3.hold = async (request) => {
    isSilent ||= pattern.test(request);
    if (!isSilent) return;
    resolve(request);
    await new Promise(() => {});
  };
  return await first;
}

async function assertEndsSoon(program: ServingProcess): Promise<void> {
  const begun = performance.now();
  assert.deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
  const took = performance.now() - begun;
  assert.ok(took < SHUTDOWN_TIMEOUT_S * 1_000 + SOON_MS, `delayed for ${took} ms`);
  const texts = program.logLines.map(({ msg }) => msg);
  assert.equal(texts.at(-1), 'stopped', texts.join('\n'));
}

/** Uploads a course whose file is sent in parts. */
async function uploadLarge(api: Api): Promise<unknown> {
  const files = { ...scorm12Files(), 'video.mp4': randomBytes(6 * MIB) };
  return await api.post('/courses', uploadForm(new Uint8Array(await zipOf(files))));
}

/** Requests a file of a course as a browser does. */
async function requestFile(api: Api, courseId: number): Promise<unknown> {
  const { body } = await api.post(`/courses/${courseId}/versions/0/preview`);
  return await fetch(body.preview_url.replace(/player\/$/, 'content/index.html'));
}

describe('a shutdown does not wait for a content store that does not respond', () => {
  test('during an upload', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    const { program, api } = await startPatient(settingsOf(s3, folder.path));
    await using _killed = program;
    const silent = silencedAt(s3, /partNumber=/);
    const uploaded = succeeds(uploadLarge(api));
    await silent;
    await assertEndsSoon(program);
    assert.equal(await uploaded, false);
  });

  test('while it serves a file of a course', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    const { program, api } = await startPatient(settingsOf(s3, folder.path));
    await using _killed = program;
    const course = await importCourse({ api });
    const silent = silencedAt(s3, /^GET .*index\.html/);
    const served = succeeds(requestFile(api, course.id));
    await silent;
    await assertEndsSoon(program);
    assert.equal(await served, false);
  });

  test('while it removes files that belong to no course', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    const settings = settingsOf(s3, folder.path);
    await (await startTestService({ dataDir: folder.path, settings }))[Symbol.asyncDispose]();
    const client = new S3Client({ endpoint: s3.endpoint, forcePathStyle: true });
    for (const _ of Array(3))
      await client.send(
        new PutObjectCommand({
          Bucket: s3.bucket,
          Key: `${newContentKey(Date.now())}/index.html`,
          Body: 'a page',
        }),
      );
    client.destroy();
    const silent = silencedAt(s3, /^POST .*[?&]delete/);
    const { program } = await startPatient(settings, { clockAheadMs: 2 * DAY_MS });
    await using _killed = program;
    await silent;
    await assertEndsSoon(program);
    assert.ok(!program.logLines.some(({ msg }) => msg.startsWith('files without a course')));
  });
});

test('a shutdown does not wait for a mail server that does not respond to the test of an alert rule', async () => {
  using folder = temporaryFolder();
  const server = createServer((socket) => socket.on('error', () => {}).write('220 ready\r\n'));
  await using _closed = { [Symbol.asyncDispose]: async () => void server.close() };
  const port = await listenOnFreePort(server);
  const { program, api } = await startPatient({
    data_dir: folder.path,
    shutdown_timeout: SHUTDOWN_TIMEOUT_S,
    smtp_host: '127.0.0.1',
    smtp_port: port,
    smtp_security: 'none',
    smtp_from: 'coursewire@example.com',
  });
  await using _killed = program;
  const rule = {
    name: 'trouble',
    condition: 'SERVICE_IN_TROUBLE',
    minutes: 1,
    email_to: ['ops@example.com'],
  };
  const { id } = await api.create('/alerts', rule);
  const tested = succeeds(api.post(`/alerts/${id}/test`));
  await once(server, 'connection');
  await assertEndsSoon(program);
  assert.equal(await tested, false);
});
