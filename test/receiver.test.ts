import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
// biome-ignore lint/correctness/useImportExtensions: it takes the declarations beside the module for the module.
import { type ReceiverOptions, Refusal, startReceiver } from '../examples/receiver/receiver.mjs';
import { basic } from './support/basic.ts';
import { type Run, startCommand } from './support/started-command.ts';
import { until } from './support/until.ts';

/** A receiver that records the messages it stores; `keep` may throw. */
async function startTestReceiver(
  keep: (id: string) => void | Promise<void> = () => {},
  onTest?: ReceiverOptions['onTest'],
) {
  const kept: { id: string; message: unknown }[] = [];
  const receiver = await startReceiver({
    key: 'crm',
    secret: 'sesame: öffne dich',
    onMessage: async (message, { id }) => {
      await keep(id);
      kept.push({ id, message });
    },
    onTest,
  });
  const send = async (
    id: string,
    body = '{"subtopic":"ACCOUNT_CREATED"}',
    secret = 'sesame: öffne dich',
    further: Record<string, string> = {},
  ) => {
    const headers = { authorization: basic('crm', secret), 'webhook-id': id, ...further };
    return await fetch(receiver.url, { method: 'POST', headers, body });
  };
  return { kept, send, url: receiver.url, [Symbol.asyncDispose]: () => receiver.close() };
}

/** Runs the example receiver on any free port, without the credentials of this environment. */
function runReceiver(options: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const none = { WEBHOOK_KEY: undefined, WEBHOOK_BASIC_SECRET: undefined };
  const args = ['examples/receiver/receiver.mjs', '--port', '0', ...options];
  return startCommand(process.execPath, args, { ...none, ...env });
}

describe('the example receiver', () => {
  it('accepts a message with the right credentials', async () => {
    await using receiver = await startTestReceiver();
    assert.equal((await receiver.send('m1')).status, 204);
    assert.deepEqual(receiver.kept, [{ id: 'm1', message: { subtopic: 'ACCOUNT_CREATED' } }]);
  });

  it('accepts nothing with wrong or missing credentials', async () => {
    await using receiver = await startTestReceiver();
    const answers = [
      await receiver.send('m1', '{}', 'sesame'),
      await receiver.send('m1', '{}', ''),
      await fetch(receiver.url, { method: 'POST', headers: { 'webhook-id': 'm1' }, body: '{}' }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('www-authenticate')]),
      answers.map(() => [401, 'Basic realm="webhooks"']),
    );
    assert.deepEqual(receiver.kept, []);
  });

  it('keeps a test message away from those that it stores', async () => {
    const tests: string[] = [];
    for (const onTest of [undefined, (_: unknown, { id }: { id: string }) => void tests.push(id)]) {
      await using receiver = await startTestReceiver(undefined, onTest);
      assert.equal((await receiver.send('t1', undefined, undefined, { 'webhook-test': 'true' })).status, 204);
      assert.equal((await receiver.send('m1')).status, 204);
      assert.deepEqual(
        receiver.kept.map(({ id }) => id),
        ['m1'],
      );
    }
    assert.deepEqual(tests, ['t1']);
  });

  it('stores a repeated message once, even if it arrives again while it is being stored', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await using receiver = await startTestReceiver(async () => {
      begun.resolve();
      await gate.promise;
    });
    const first = receiver.send('m1');
    await begun.promise;
    const second = receiver.send('m1');
    gate.resolve();
    const answers = [await first, await second, await receiver.send('m1')];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204, 204],
    );
    assert.equal(receiver.kept.length, 1);
  });

  it('receives a message again if it could not store it', async () => {
    const failures = [new Error('the disk is full'), new Refusal(503, 'Closed for maintenance')];
    await using receiver = await startTestReceiver(() => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    });
    const answers = [await receiver.send('m1'), await receiver.send('m1'), await receiver.send('m1')];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 503, 204],
    );
    assert.doesNotMatch(await answers[0]!.text(), /disk/, 'what failed within is nobody’s business');
    assert.deepEqual(
      receiver.kept.map(({ id }) => id),
      ['m1'],
    );
  });

  it('rejects bodies that are too large, are not JSON, or have no id', async () => {
    await using receiver = await startTestReceiver();
    const statuses = [
      (await receiver.send('m1', `"${'x'.repeat(1024 * 1024)}"`)).status,
      (await receiver.send('m2', '{')).status,
      (await receiver.send('')).status,
      (await fetch(receiver.url)).status,
    ];
    assert.deepEqual(statuses, [413, 400, 400, 405]);
    assert.deepEqual(receiver.kept, []);
  });

  it('does not start without both credentials, unless acceptAnyone is true', async () => {
    const refusals: [Partial<ReceiverOptions>, RegExp][] = [
      [{}, /key and the secret are missing/],
      [{ key: '', secret: '' }, /key and the secret are missing/],
      [{ acceptAnyone: false }, /key and the secret are missing/],
      [{ key: 'crm' }, /The secret is missing/],
      [{ key: 'crm', secret: '' }, /The secret is missing/],
      [{ secret: 's' }, /The key is missing/],
      [{ key: 'crm', acceptAnyone: true }, /The secret is missing/],
      [{ secret: 's', acceptAnyone: true }, /The key is missing/],
      [{ key: 'crm', secret: 's', acceptAnyone: true }, /not both/],
    ];
    for (const [options, reason] of refusals) {
      const starting = async () => {
        const receiver = await startReceiver({ ...options, onMessage: () => {} });
        await receiver.close();
      };
      await assert.rejects(starting, reason, JSON.stringify(options));
    }
  });

  it('accepts anyone if acceptAnyone is true', async () => {
    const receiver = await startReceiver({ acceptAnyone: true, onMessage: () => {} });
    const send = { method: 'POST', headers: { 'webhook-id': 'm1' }, body: '{}' };
    const { status } = await fetch(receiver.url, send);
    await receiver.close();
    assert.equal(status, 204);
  });

  it('does not run by itself without both credentials or --accept-anyone', async () => {
    const attempts: [string[], NodeJS.ProcessEnv, RegExp][] = [
      [[], {}, /key and the secret are missing.*--accept-anyone/s],
      [['--key', 'crm'], {}, /The secret is missing.*--secret.*WEBHOOK_BASIC_SECRET/s],
      [['--secret', 's'], {}, /The key is missing.*--key.*WEBHOOK_KEY/s],
      [[], { WEBHOOK_BASIC_SECRET: 's' }, /The key is missing/],
      [['--accept-anyone'], { WEBHOOK_KEY: 'crm', WEBHOOK_BASIC_SECRET: 's' }, /not both/],
    ];
    for (const [options, env, reason] of attempts) {
      await using alone = runReceiver(options, env);
      const said = () => alone.output.stdout + alone.output.stderr;
      await until(() => said() !== '', 'it starts or fails');
      assert.equal(alone.output.stdout, '', options.join(' '));
      assert.equal(await alone.ended(), 1);
      assert.match(alone.output.stderr, reason);
    }
  });

  it('takes its credentials from the environment when it runs by itself', async () => {
    await using alone = runReceiver([], { WEBHOOK_KEY: 'crm', WEBHOOK_BASIC_SECRET: 's' });
    const url = await until(() => /Receiving at (\S+)/.exec(alone.output.stdout)?.[1], 'it listens');
    const headers = { 'webhook-id': 'm1' };
    assert.equal((await fetch(url, { method: 'POST', headers, body: '{}' })).status, 401);
    const authorization = basic('crm', 's');
    const send = { method: 'POST', headers: { ...headers, authorization }, body: '{}' };
    assert.equal((await fetch(url, send)).status, 204);
  });

  it('prints what it receives when it runs by itself', async () => {
    await using alone = runReceiver(['--key', 'crm', '--secret', 's']);
    const url = await until(() => /Receiving at (\S+)/.exec(alone.output.stdout)?.[1], 'it listens');

    const headers = {
      authorization: basic('crm', 's'),
      'webhook-id': 'm1',
    };
    const body = JSON.stringify({
      subtopic: 'ACCOUNT_DELETED',
      name: 'CRM',
      resource: { account: { id: 7 } },
    });
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 204);

    await until(() => alone.output.stdout.includes('"id": 7'), 'the resource is printed');
    assert.match(alone.output.stdout, /"ACCOUNT_DELETED" for "CRM" {2}m1/);
  });
});
