import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Api, createClient, requestToken, temporaryFolder, until } from '../support/service.ts';
import { startProcess } from '../support/service-process.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

// Runs on SQLite alone: on PostgreSQL, the disk is the server's, which the proof `outage` fills.

/** Makes writing fail from here on, as on a full disk, or work again, by limiting the file size of the running process. */
async function setRoomForFiles(pid: number, room: 'none' | 'unlimited'): Promise<void> {
  const limit = room === 'none' ? '0:unlimited' : 'unlimited:unlimited';
  await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${limit}`]);
}

function reasonToSkip(): string | false {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'needs prlimit of util-linux';
  }
}

describe('while the database cannot be written', { skip: reasonToSkip() }, () => {
  test('changes are rejected, delivery pauses, and both recover by themselves once there is space', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    await using program = await startProcess({ data_dir: folder.path });
    const { clientId, clientSecret } = await createClient(folder.path);
    const api = new Api(program.url, await requestToken(program.url, clientId, clientSecret));
    const webhook = await api.create('/webhooks', {
      name: 'all accounts',
      topic: 'ACCOUNT',
      target_url: target.url,
    });
    const account = await api.create('/accounts', { name: 'Acme' });
    await target.waitFor(1);
    const lineIs = (state: string) => async () =>
      (await api.get(`/webhooks/${webhook.id}/line`)).body.state === state;
    await until(lineIs('EMPTY'), 'the first message is settled');

    // A message is in flight when the space runs out, so that its outcome cannot be written.
    const { promise: sent, resolve: holdBack } = Promise.withResolvers<() => void>();
    target.respondWith((exchange) => holdBack(() => answer(200)(exchange)));
    await api.create('/accounts', { name: 'Bolt' });
    const answerIt = await sent;
    await setRoomForFiles(program.pid, 'none');
    target.respondWith(answer(200));
    answerIt();
    const pauses = () => program.logLines.filter(({ msg }) => /delivery pauses/.test(msg));
    await until(() => pauses().length > 0, 'the log says that delivery pauses');

    const refused = await Promise.all([
      api.post('/accounts', { name: 'Refused' }),
      api.put(`/accounts/${account.id}`, { name: 'Acme', enabled: false }),
      api.delete(`/accounts/${account.id}`),
    ]);
    for (const { status, headers, body } of refused) {
      assert.equal(status, 503, JSON.stringify(body));
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal(body.status, 503);
      assert.doesNotMatch(JSON.stringify(body), /sqlite|disk|\/tmp/i);
    }
    const { status, body } = await api.get('/accounts');
    assert.equal(status, 200, 'stored records can be read meanwhile');
    assert.deepEqual(
      body.data.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled]),
      [
        ['Acme', true],
        ['Bolt', true],
      ],
    );

    await setRoomForFiles(program.pid, 'unlimited');
    await until(
      async () => (await api.post('/accounts', { name: 'Cork' })).status === 201,
      'changes are accepted again',
    );
    await until(lineIs('EMPTY'), 'delivery resumes by itself');

    assert.equal(pauses().length, 1, 'logged once, not at every try');
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(names, ['Acme', 'Bolt', 'Cork']);
    const { body: history } = await api.get(`/webhooks/${webhook.id}/deliveries`);
    assert.deepEqual(
      history.data.map(({ status, attempts }: { status: string; attempts: number }) => [status, attempts]),
      [
        ['DELIVERED', 1],
        ['DELIVERED', 1],
        ['DELIVERED', 1],
      ],
    );
    assert.deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
  });
});
