import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { KIB, MIB } from '../../../src/bytes.ts';
import { newContentKey } from '../../../src/content/files/content-key.ts';
import { S3ContentStore } from '../../../src/content/files/s3-content-store.ts';
import { ProblemError } from '../../../src/problems/problem.ts';
import { TEST_TIMEOUT_MS } from '../../support/deadline.ts';
import { startS3, type TestS3 } from '../../support/s3.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { stageFiles } from './content-store-engines.ts';

// Runs on SQLite alone: storing files on S3 does not involve the database.

const PARALLEL_DOWNLOADS = 256;
const never = new AbortController().signal;
const key = newContentKey(Date.now());
const isUnavailable = (error: unknown) => error instanceof ProblemError && error.code === 'unavailable';

function openStore({ bucket, endpoint }: TestS3, prefix = 'x/'): S3ContentStore {
  return new S3ContentStore({ bucket, prefix, endpoint });
}

/** Holds all requests for videos until `release`. `allSent` resolves when as many wait as may be sent at once. */
function holdVideos(s3: TestS3) {
  const answer = Promise.withResolvers<void>();
  const allSent = Promise.withResolvers<void>();
  let sent = 0;
  s3.hold = async (request) => {
    if (!/^GET .*video/.test(request)) return;
    sent += 1;
    if (sent === PARALLEL_DOWNLOADS) allSent.resolve();
    await answer.promise;
  };
  return { allSent: allSent.promise, release: answer.resolve, sent: () => sent };
}

describe('the S3 content store', () => {
  it('is unavailable, in every operation, while S3 refuses, hangs up, has no such bucket or is not there', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    const gone = { ...s3, endpoint: 'http://127.0.0.1:1' };
    const noBucket = { ...s3, bucket: 'nobody-made-this' };
    for (const [server, refuse] of [
      [s3, () => 403],
      [s3, () => 'hang up' as const],
      [noBucket, () => null],
      [gone, () => null],
    ] as const) {
      s3.refuse = refuse;
      await using store = openStore(server);
      for (const [what, work] of [
        ['put', () => store.put(key, stageFiles(folder.path, { 'a.html': 'x' }), never)],
        ['remove', () => store.remove(key)],
        ['read', () => store.read(key, 'a.html')],
        ['find', () => store.find(key, 'a.html')],
        ['range', () => store.read(key, 'a.html', { first: 0 })],
        ['has', () => store.has(key)],
        ['keys', () => Array.fromAsync(store.keys())],
        ['owner', () => store.owner()],
        ['claim', () => store.claim('me')],
        ['ping', () => store.ping()],
      ] as const) {
        await assert.rejects(
          work(),
          isUnavailable,
          `${what} ${refuse()} ${server.bucket} ${server.endpoint}`,
        );
      }
    }
  });

  it('retries after transient failures, also parts of large files', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    const failed = new Set<string>();
    s3.refuse = (request) => {
      const what = request.replace(/uploadId=[^&]*/i, '');
      if (!request.startsWith('PUT') || failed.has(what)) return null;
      failed.add(what);
      return 503;
    };
    await store.put(key, stageFiles(folder.path, { small: 'x', large: randomBytes(6 * MIB) }), never);
    assert.equal(failed.size, 3);
    const { size = 0, stream } = (await store.read(key, 'large')) ?? {};
    stream?.destroy();
    assert.equal(size, 6 * MIB);
  });

  it('asks again for a part of a file if the connection breaks within it, but not forever', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    const video = randomBytes(MIB);
    await store.put(key, stageFiles(folder.path, { 'video.mp4': video }), never);
    let asked = 0;
    s3.refuse = () => {
      asked += 1;
      return asked % 2 === 1 ? 'cut off' : null;
    };
    const { stream } = (await store.read(key, 'video.mp4'))!;
    assert.ok(video.equals(await buffer(stream)));
    s3.refuse = () => 'cut off';
    await assert.rejects(store.read(key, 'video.mp4'), isUnavailable);
  });

  it('stops an upload whose uploader disconnects, and leaves no multipart upload open', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    const leaving = new AbortController();
    s3.refuse = (request) => {
      if (/partNumber=2/i.test(request)) leaving.abort(new Error('gone'));
      return null;
    };
    const putting = store.put(key, stageFiles(folder.path, { large: randomBytes(11 * MIB) }), leaving.signal);
    await assert.rejects(putting, { message: 'gone' });
    assert.ok(
      s3.requests.some((request) => /^DELETE .*uploadId=/i.test(request)),
      s3.requests.join('\n'),
    );
    assert.equal(await store.has(key), false);
  });

  it('keeps no connection for a reader that pauses, so that hundreds of paused videos stop nothing', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    const video = randomBytes(2 * MIB);
    await store.put(key, stageFiles(folder.path, { 'video.mp4': video, 'index.html': 'page' }), never);
    const paused = [];
    for (let count = 0; count < 300; count += 1)
      paused.push(await store.read(key, 'video.mp4', { first: 1 }));
    assert.equal((await store.read(key, 'index.html'))?.bytes?.toString(), 'page');
    await store.ping();
    const [resumed, ...others] = paused;
    assert.ok(resumed != null && video.subarray(1).equals(await buffer(resumed.stream)));
    for (const other of others) other?.stream.destroy();
  });

  it('sends no request for readers that have left, and keeps no connection for them', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    const files = { 'video.mp4': randomBytes(MIB), 'index.html': 'page' };
    await store.put(key, stageFiles(folder.path, files), never);
    const readers = [];
    for (let count = 0; count < 300; count += 1) readers.push((await store.read(key, 'video.mp4'))!.stream);
    const held = holdVideos(s3);
    for (const reader of readers) reader.resume();
    await held.allSent;
    await Promise.all(readers.map((reader) => once(reader.destroy(), 'close')));
    assert.equal((await store.read(key, 'index.html'))?.bytes?.toString(), 'page');
    assert.equal(held.sent(), PARALLEL_DOWNLOADS);
    held.release();
  });

  it('does not delay health checks and uploads while S3 does not respond to downloads', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    await store.put(key, stageFiles(folder.path, { 'video.mp4': 'film' }), never);
    const held = holdVideos(s3);
    const reading = Array.from({ length: 300 }, () => store.read(key, 'video.mp4'));
    await held.allSent;
    await store.ping();
    await store.put(newContentKey(Date.now()), stageFiles(folder.path, { a: 'x' }), never);
    assert.equal(held.sent(), PARALLEL_DOWNLOADS);
    held.release();
    for (const file of await Promise.all(reading)) assert.equal(file?.bytes?.toString(), 'film');
  });

  it('finds a file by a request for one byte, and an empty one', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    await store.put(key, stageFiles(folder.path, { 'video.mp4': randomBytes(MIB), empty: '' }), never);
    s3.bytesSent = 0;
    assert.equal((await store.find(key, 'video.mp4'))?.size, MIB);
    assert.equal(s3.bytesSent, 1);
    assert.equal((await store.find(key, 'empty'))?.size, 0);
  });

  it('reads from a server that ignores ranges', async () => {
    await using s3 = await startS3();
    await using store = openStore(s3);
    s3.answer = () => 'the whole file';
    const { stream, size, range } = (await store.read(key, 'a.txt', { first: 4, last: 8 })) ?? {};
    assert.deepEqual([size, range, stream && (await text(stream))], [14, null, 'the whole file']);
    assert.equal((await store.find(key, 'a.txt'))?.size, 14);
  });

  it('keeps no more of a response than it asked for', async () => {
    await using s3 = await startS3();
    const server = createServer((_request, response) => {
      response.writeHead(206, { 'content-range': `bytes 0-${256 * KIB - 1}/${MIB}` });
      response.end(Buffer.alloc(MIB));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using store = openStore({ ...s3, endpoint: `http://127.0.0.1:${port}` });
    try {
      await assert.rejects(store.read(key, 'video.mp4'), (error: Error & { cause?: Error }) => {
        assert.ok(isUnavailable(error));
        assert.match(error.cause?.message ?? '', /more of an object than was requested/);
        return true;
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is unavailable if a response other than a file seems to have no end', async () => {
    await using s3 = await startS3();
    // The rest of a list without an end, as far as a test without the limit can bear it.
    s3.answer = () => `<ListBucketResult>${'<Contents></Contents>'.repeat(MIB)}</ListBucketResult>`;
    await using store = openStore(s3);
    await assert.rejects(store.ping(), (error: Error & { cause?: Error }) => {
      assert.ok(isUnavailable(error));
      assert.match(error.cause?.message ?? '', /longer than 16 MiB/);
      return true;
    });
  });

  it('ends a list of which a server returns the same part again and again', async () => {
    await using s3 = await startS3();
    await using store = openStore(s3);
    let parts = 0;
    const isUploads = (request: string) => /^GET \/[^?]+\?(.*&)?uploads/.test(request);
    /** The same part, with the place of the next one, until a test has clearly failed. */
    const partOf = (list: string, next: string) => {
      parts += 1;
      return `<${list}>${parts < 10 ? `<IsTruncated>true</IsTruncated>${next}` : ''}</${list}>`;
    };
    s3.answer = (request) =>
      isUploads(request)
        ? null
        : partOf('ListBucketResult', '<NextContinuationToken>2</NextContinuationToken>');
    await assert.rejects(Array.fromAsync(store.files(key)), isUnavailable);
    s3.answer = (request) =>
      isUploads(request)
        ? partOf(
            'ListMultipartUploadsResult',
            `<NextKeyMarker>x/${key}/a</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>`,
          )
        : null;
    parts = 0;
    await assert.rejects(store.remove(key), isUnavailable);
    parts = 0;
    await assert.rejects(Array.fromAsync(store.keys()), isUnavailable);
  });

  it('does not delete the same objects again and again if a server keeps them', async () => {
    await using s3 = await startS3();
    await using store = openStore(s3);
    const names = Array.from({ length: 1_000 }, (_, n) => `<Contents><Key>x/${key}/${n}</Key></Contents>`);
    let lists = 0;
    s3.answer = (request) => {
      if (/[?&]delete/.test(request)) return '<DeleteResult></DeleteResult>';
      if (/[?&]uploads/.test(request)) return null;
      lists += 1;
      return `<ListBucketResult>${lists < 10 ? names.join('') : ''}</ListBucketResult>`;
    };
    await assert.rejects(store.remove(key), isUnavailable);
    assert.equal(lists, 2);
  });

  it('ends a download whose object was removed in the meantime', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    await store.put(key, stageFiles(folder.path, { 'video.mp4': randomBytes(2 * MIB) }), never);
    const { stream } = (await store.read(key, 'video.mp4')) ?? {};
    await store.remove(key);
    await assert.rejects(buffer(stream!), { name: 'NoSuchKey' });
  });

  it('does not remove the staged folder', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    const staged = stageFiles(folder.path, { a: 'x' });
    await store.put(key, staged, never);
    assert.ok(existsSync(staged));
  });

  it('finds and removes multipart uploads that a crash left', async () => {
    await using s3 = await startS3();
    await using store = openStore(s3);
    const client = new S3Client({ endpoint: s3.endpoint, forcePathStyle: true });
    const object = { Bucket: s3.bucket, Key: `x/${key}/video.mp4` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
    await client.send(
      new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: randomBytes(5 * MIB) }),
    );
    client.destroy();
    s3.answer = (request) =>
      /^GET \/[^?]+\?(.*&)?uploads/.test(request) && !s3.requests.some((each) => each.startsWith('DELETE'))
        ? `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated><Upload><Key>${object.Key}</Key>` +
          `<UploadId>${UploadId}</UploadId></Upload></ListMultipartUploadsResult>`
        : null;
    assert.deepEqual(await Array.fromAsync(store.keys()), [key]);
    await store.remove(key);
    const aborted = s3.requests.filter((request) => request.startsWith('DELETE'));
    assert.equal(aborted.length, 1);
    assert.match(aborted[0] ?? '', new RegExp(`${key}/video.mp4\\?.*uploadId=`, 'i'));
    assert.deepEqual(await Array.fromAsync(store.keys()), []);
  });

  it('works with a server that cannot list uploads', async () => {
    await using s3 = await startS3();
    await using store = openStore(s3);
    s3.refuse = (request) => (/^GET .*[?&]uploads/.test(request) ? 501 : null);
    assert.deepEqual(await Array.fromAsync(store.keys()), []);
    await store.remove(key);
  });

  it('names no files for a clean-up while it belongs to another installation, or to none', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using store = openStore(s3);
    store.expectOwner(await store.claim('installation-1'));
    await store.put(key, stageFiles(folder.path, { a: 'x' }), never);
    assert.deepEqual(await Array.fromAsync(store.keys()), [key]);
    const client = new S3Client({ endpoint: s3.endpoint, forcePathStyle: true });
    const owner = { Bucket: s3.bucket, Key: 'x/coursewire-installation' };
    await client.send(new PutObjectCommand({ ...owner, Body: 'installation-2\n' }));
    await assert.rejects(Array.fromAsync(store.keys()), isUnavailable);
    await client.send(new DeleteObjectCommand(owner));
    client.destroy();
    await assert.rejects(Array.fromAsync(store.keys()), isUnavailable);
  });

  it('reads and writes only below its prefix', async () => {
    using folder = temporaryFolder();
    await using s3 = await startS3();
    await using one = openStore(s3, 'one/');
    await using two = openStore(s3, 'two/');
    await one.put(key, stageFiles(folder.path, { a: 'x' }), never);
    assert.equal(await two.read(key, 'a'), null);
    await two.remove(key);
    assert.deepEqual(await Array.fromAsync(two.keys()), []);
    assert.deepEqual(await Array.fromAsync(one.keys()), [key]);
    assert.equal(one.location, 's3://courses/one/');
  });
});
