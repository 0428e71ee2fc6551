import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { readCredentialsAgain } from '../src/aws-credentials.ts';
import { newContentKey } from '../src/content/files/content-key.ts';
import { S3ContentStore } from '../src/content/files/s3-content-store.ts';
import { stageFiles } from './content/files/content-store-engines.ts';
import { deliver, inOrder, lines, openBench, sorted } from './queue/sqs-bench.ts';
import { type SqsServer, settingsOf, startSqsServer } from './queue/sqs-server.ts';
import { recordedLogs } from './support/logs.ts';
import { measureRunningTime } from './support/running-time.ts';
import { startS3, type TestS3 } from './support/s3.ts';
import { until } from './support/service.ts';
import { runProgram, startProcess } from './support/service-process.ts';
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

describe('a source of AWS credentials that hangs', () => {
  let tests = 0;
  let hangs = '';
  let waits = '';

  beforeEach(() => {
    s3.refuse = () => null;
    // Each test has its own, because that of an earlier test may still be running.
    tests += 1;
    const helper = path.join(folder.path, `helper-${tests}`);
    hangs = `${helper}-hangs`;
    waits = `${helper}-waits`;
    const key = { Version: 1, AccessKeyId: 'KEYBEFORE', SecretAccessKey: 's', SessionToken: 't' };
    writeFileSync(
      helper,
      `#!/bin/sh
n=0
while [ -e ${hangs} ] && [ $n -lt 200 ]; do touch ${waits}; sleep 0.1; n=$((n+1)); done
echo '${JSON.stringify(key)}'
`,
      { mode: 0o755 },
    );
    const config = path.join(folder.path, 'config');
    writeFileSync(config, `[default]\ncredential_process = ${helper}\n`);
    process.env.AWS_CONFIG_FILE = config;
    process.env.AWS_SHARED_CREDENTIALS_FILE = path.join(folder.path, 'none');
  });
  afterEach(() => rmSync(hangs, { force: true }));

  /** From now on. Resolves once the source is asked. */
  async function hang(): Promise<void> {
    writeFileSync(hangs, '');
    await until(() => existsSync(waits), 'the source is asked');
  }

  it('fails the readiness of the queue, and is in the log', async () => {
    await using bench = await openBench(server);
    const { logs, lines: said } = recordedLogs();
    const instance = await bench.open({ log: logs.for('MessageQueue'), credentialsDeadlineMs: 100 });
    bench.proxy.treat = () => 'expired';
    await hang();
    await until(async () => !(await succeeds(instance.check())), 'readiness fails');
    await assert.rejects(instance.check(), /does not respond/);
    await until(
      () => said.some(({ reason }) => /did not respond within 0.1 s/.test(String(reason))),
      'it is said',
    );
  });

  it('delays the stop of the queue by about a second', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    bench.proxy.treat = () => 'expired';
    await hang();
    using running = measureRunningTime();
    await instance[Symbol.asyncDispose]();
    // The source has 10 s.
    assert.ok(running.ms < 9_000, `${running.ms} ms`);
  });

  it('delays neither the stop of the content store nor its requests', async () => {
    const { bucket, endpoint } = s3;
    await using store = new S3ContentStore({ bucket, prefix: 'x/', endpoint });
    const key = newContentKey(Date.now());
    await store.put(key, stageFiles(folder.path, { 'a.html': 'before' }), new AbortController().signal);
    const xml = '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>';
    s3.refuse = () => ({ status: 400, xml });
    const reading = assert.rejects(store.read(key, 'a.html'));
    await hang();
    using running = measureRunningTime();
    await store[Symbol.asyncDispose]();
    await reading;
    assert.ok(running.ms < 9_000, `${running.ms} ms`);
  });

  it('makes a request fail at its deadline, also if it hangs from the start', async () => {
    const { bucket, endpoint } = s3;
    writeFileSync(hangs, '');
    const client = new S3Client({ endpoint, forcePathStyle: true });
    readCredentialsAgain(client, 100);
    using running = measureRunningTime();
    await assert.rejects(client.send(new HeadBucketCommand({ Bucket: bucket })), {
      name: 'CredentialsLateError',
    });
    assert.ok(running.ms < 9_000, `${running.ms} ms`);
    client.destroy();
  });

  it('does not keep the process of a service whose start fails', async () => {
    using data = temporaryFolder();
    writeFileSync(hangs, '');
    const { bucket, endpoint } = s3;
    using running = measureRunningTime();
    const settings = {
      data_dir: data.path,
      content_store: `s3://${bucket}`,
      content_store_endpoint: endpoint,
    };
    const { code, errors } = await runProgram(['serve'], settings);
    assert.equal(code, 1, errors);
    assert.match(errors, /did not respond within 10 s/);
    assert.ok(running.ms < 18_000, `${running.ms} ms`);
  });

  it('does not keep the process of a service', async () => {
    await using bench = await openBench(server);
    const place = { ...bench.queues.place, endpoint: bench.proxy.endpoint };
    using data = temporaryFolder();
    await using service = await startProcess({ data_dir: data.path, ...settingsOf(place) });
    bench.proxy.treat = () => 'expired';
    await hang();
    using running = measureRunningTime();
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
    assert.ok(running.ms < 9_000, `${running.ms} ms`);
  });
});
