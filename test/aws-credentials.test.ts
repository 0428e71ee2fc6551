import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newContentKey } from '../src/content/files/content-key.ts';
import { S3ContentStore } from '../src/content/files/s3-content-store.ts';
import { stageFiles } from './content/files/content-store-engines.ts';
import { deliver, inOrder, lines, openBench, sorted } from './queue/sqs-bench.ts';
import { type SqsServer, startSqsServer } from './queue/sqs-server.ts';
import { startS3, type TestS3 } from './support/s3.ts';
import { until } from './support/service.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { succeeds } from './support/until.ts';

// Runs on SQLite in `npm test`: reading credentials does not involve the database. The tests of Amazon SQS store its
// messages on both.

// Needs a process of its own: it changes the variables in which the AWS SDK looks for credentials.

let server: SqsServer;
let s3: TestS3;
const environment = { ...process.env };
const folder = temporaryFolder();
const file = path.join(folder.path, 'credentials');
before(async () => {
  server = await startSqsServer();
  s3 = await startS3();
  delete process.env.AWS_ACCESS_KEY_ID;
  delete process.env.AWS_SECRET_ACCESS_KEY;
  process.env.AWS_SHARED_CREDENTIALS_FILE = file;
  process.env.AWS_CONFIG_FILE = path.join(folder.path, 'none');
  process.env.AWS_EC2_METADATA_DISABLED = 'true';
  write('KEYBEFORE');
});
after(async () => {
  process.env = environment;
  folder[Symbol.dispose]();
  await s3[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function write(accessKey: string): void {
  writeFileSync(
    file,
    `[default]\naws_access_key_id = ${accessKey}\naws_secret_access_key = secret\naws_session_token = token\n`,
  );
}

describe('AWS credentials that are replaced in their file', () => {
  it('are used by the queue once Amazon SQS refuses the former ones, without a restart', async () => {
    write('KEYBEFORE');
    await using bench = await openBench(server);
    const instance = await bench.open();
    await bench.put(lines([1], 2));
    assert.deepEqual(sorted(await deliver(instance, 2)), sorted(inOrder([1], 2)));

    bench.proxy.treat = (_action, accessKey) => (accessKey === 'KEYBEFORE' ? 'expired' : 'pass');
    await until(
      () =>
        instance.check().then(
          () => false,
          (error: Error) => /credentials/.test(error.message),
        ),
      'readiness fails',
    );
    write('KEYAFTER');
    await until(() => succeeds(instance.check()), 'it is ready again');
  });

  it('are used without a failed request if they are replaced before the former ones expire', async () => {
    write('KEYBEFORE');
    await using bench = await openBench(server);
    let failures = 0;
    const instance = await bench.open({
      onFailure: () => {
        failures += 1;
      },
    });
    write('KEYAFTER');
    let refused = 0;
    bench.proxy.treat = (_action, accessKey) => {
      if (accessKey !== 'KEYBEFORE') return 'pass';
      refused += 1;
      return 'expired';
    };
    await bench.put(lines([1], 2));
    assert.deepEqual(sorted(await deliver(instance, 2)), sorted(inOrder([1], 2)));
    await until(() => refused > 0 && bench.proxy.actions.includes('DeleteMessageBatch'), 'copies were sent');
    await instance.check();
    assert.equal(failures, 0);
  });

  it('are used by the content store once S3 refuses the former ones, without a restart', async () => {
    write('KEYBEFORE');
    const { bucket, endpoint } = s3;
    await using store = new S3ContentStore({ bucket, prefix: 'x/', endpoint });
    const key = newContentKey(Date.now());
    await store.put(key, stageFiles(folder.path, { 'a.html': 'before' }), new AbortController().signal);

    const xml = '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>';
    s3.refuse = (_request, accessKey) => (accessKey === 'KEYBEFORE' ? { status: 400, xml } : null);
    await assert.rejects(store.ping());
    write('KEYAFTER');
    await until(() => succeeds(store.ping()), 'S3 can be reached again');
    assert.equal((await store.read(key, 'a.html'))?.size, 6, 'by the client of downloads, too');
  });
});
