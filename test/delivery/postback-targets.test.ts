import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { describe, it } from 'node:test';
import { type PostbackResult, PostbackSender } from '../../src/delivery/postback-sender.ts';
import { TargetGuard } from '../../src/delivery/target-guard.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { startTarget, type Target } from '../support/target.ts';
import { redirect } from '../support/target-behaviours.ts';
import { postbackTo } from '../support/target-sender.ts';
import { until } from '../support/until.ts';

/** A name service that gives each of these answers in turn, the last one from then on. */
function nameService(...answers: string[][]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    callback(null, found);
  };
  return { lookup, asked };
}

const ACCEPTS_AND_ANSWERS = `
  const server = require('node:http').createServer((request, response) => response.end());
  const [, host, port] = process.argv;
  server.listen({ port: Number(port), host, backlog: 1 }, () => console.log(server.address().port));
`;

/**
 * A target with a full queue of connections, to which Linux responds only when a client has repeated its request
 * for a connection, a second later.
 * @param at its address, and its port or 0 for any
 */
async function startFullTarget({ host, port: wanted } = { host: '127.0.0.1', port: 0 }) {
  const target = spawn(process.execPath, ['-e', ACCEPTS_AND_ANSWERS, host, String(wanted)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(target.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  target.kill('SIGSTOP');
  const waiting = Array.from({ length: 4 }, () => connect(port, host).on('error', () => {}));
  await once(waiting[0]!, 'connect');
  return {
    port,
    accept: () => void target.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy();
      target.kill('SIGKILL');
      await once(target, 'exit');
    },
  };
}

async function sendTo(
  url: string,
  { lookup, allowedNetworks = [] }: { lookup?: LookupFunction; allowedNetworks?: string[] } = {},
): Promise<PostbackResult> {
  const guard = new TargetGuard({ allowedNetworks, ...(lookup !== undefined && { lookup }) });
  await using sender = new PostbackSender({ guard, version: '1.2.3', deadlineMs: DEADLINE_MS });
  return await sender.send(postbackTo(url));
}

const REFUSED_NAME = 'the host name resolves to an address that is not allowed';

/** @param address the address in the URL; null for a name, because the reason does not reveal its address */
function assertRefused(result: PostbackResult, target: Target, address: string | null): void {
  assert.equal(result.outcome, 'FAILED');
  assert.equal(result.reason, address === null ? REFUSED_NAME : `target address ${address} is not allowed`);
  assert.equal(target.acceptedConnections, 0);
}

describe('a target inside the network', () => {
  for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '[::ffff:127.0.0.1]'])
    it(`is not reached by its address written as ${host}`, async () => {
      await using target = await startTarget();
      const address = host.startsWith('[') ? '::ffff:7f00:1' : '127.0.0.1';
      assertRefused(await sendTo(`http://${host}:${target.port}/`), target, address);
    });

  it('is not reached by its address over TLS', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    assertRefused(await sendTo(target.url), target, '127.0.0.1');
  });

  it('is not reached by a name that resolves to it', async () => {
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      await using target = await startTarget();
      const { lookup } = nameService([address]);
      assertRefused(await sendTo(`http://innocent.test:${target.port}/`, { lookup }), target, null);
    }
  });

  it('is not reached by localhost, which the system resolves', async () => {
    await using target = await startTarget();
    const result = await sendTo(`http://localhost:${target.port}/`);
    assert.equal(result.reason, REFUSED_NAME);
    assert.equal(target.acceptedConnections, 0);
  });

  it('is not reached by a redirect from an allowed target', async () => {
    await using inside = await startTarget();
    await using outside = await startTarget({ respondWith: redirect(`http://127.0.0.1:${inside.port}/`) });
    const { lookup } = nameService(['127.0.0.1']);
    const result = await sendTo(`http://outside.test:${outside.port}/`, {
      lookup,
      allowedNetworks: ['127.0.0.0/8'],
    });
    assert.equal(result.reason, `302 Found to http://127.0.0.1:${inside.port}/, not followed`);
    assert.equal(inside.acceptedConnections, 0);
  });

  it('is reached if it is in an allowed network', async () => {
    await using target = await startTarget();
    const { lookup } = nameService(['127.0.0.1']);
    const allowedNetworks = ['127.0.0.1/32'];
    for (const host of ['127.0.0.1', 'inside.test'])
      assert.equal(
        (await sendTo(`http://${host}:${target.port}/`, { lookup, allowedNetworks })).outcome,
        'DELIVERED',
      );
  });
});

describe('a name that resolves to several addresses', () => {
  it('is connected only to the allowed ones', async () => {
    await using target = await startTarget();
    const { lookup } = nameService(['10.0.0.1', '::1', '127.0.0.1', '169.254.169.254']);
    const result = await sendTo(`http://mixed.test:${target.port}/`, {
      lookup,
      allowedNetworks: ['127.0.0.1'],
    });
    assert.equal(result.outcome, 'DELIVERED');
  });

  it('is not connected if only an address that is not allowed works', async () => {
    await using target = await startTarget();
    const { lookup } = nameService(['127.0.0.1', '127.0.0.2']);
    const result = await sendTo(`http://mixed.test:${target.port}/`, {
      lookup,
      allowedNetworks: ['127.0.0.2'],
    });
    assert.equal(result.reason, 'connection refused');
    assert.equal(target.acceptedConnections, 0);
  });
});

describe('a target that is slow to connect', () => {
  it('is waited for although its name has another address', {
    skip: process.platform !== 'linux',
  }, async () => {
    await using target = await startFullTarget();
    const names = nameService(['127.0.0.1', '127.0.0.2']);
    const sending = sendTo(`http://slow.example:${target.port}/`, {
      lookup: names.lookup,
      allowedNetworks: ['127.0.0.0/8'],
    });
    await until(() => names.asked.length > 0, 'the name is looked up');
    target.accept();
    assert.deepEqual(await sending.then(({ outcome, reason }) => ({ outcome, reason })), {
      outcome: 'DELIVERED',
      reason: null,
    });
  });
});

describe('a name with five addresses', { skip: process.platform !== 'linux' }, () => {
  it('is reached at the last one although the others do not respond', async () => {
    await using target = await startTarget();
    const others = Array.from({ length: 4 }, (_, n) => `127.0.0.${n + 2}`);
    await using stack = new AsyncDisposableStack();
    for (const host of others) stack.use(await startFullTarget({ host, port: target.port }));
    const { lookup } = nameService([...others, '127.0.0.1']);
    const guard = new TargetGuard({ allowedNetworks: ['127.0.0.0/8'], lookup });
    await using sender = new PostbackSender({ guard, version: '1.2.3', deadlineMs: 20_000 });
    const { outcome, reason } = await sender.send(postbackTo(`http://slow.example:${target.port}/`));
    assert.deepEqual([outcome, reason], ['DELIVERED', null]);
  });
});

describe('a name that resolves to another address each time', () => {
  it('is resolved once for each connection: the checked address is the one that is connected', async () => {
    await using target = await startTarget();
    const { lookup, asked } = nameService(['127.0.0.1'], ['127.0.0.2']);
    const url = `http://rebinding.test:${target.port}/`;
    const result = await sendTo(url, { lookup, allowedNetworks: ['127.0.0.1'] });
    assert.equal(result.outcome, 'DELIVERED');
    assert.deepEqual(asked, ['rebinding.test']);
  });

  it('is rejected once it resolves to an inside address, whatever came before', async () => {
    await using target = await startTarget();
    const { lookup } = nameService(['127.0.0.2'], ['127.0.0.1']);
    const guard = new TargetGuard({ allowedNetworks: ['127.0.0.2'], lookup });
    await using sender = new PostbackSender({ guard, version: '1.2.3' });
    const postback = postbackTo(`http://rebinding.test:${target.port}/`);
    assert.equal((await sender.send(postback)).reason, 'connection refused');
    assertRefused(await sender.send(postback), target, null);
  });
});

describe('a name that does not resolve', () => {
  it('is not found', async () => {
    const { lookup } = nameService([]);
    assert.equal((await sendTo('http://nobody.test/', { lookup })).reason, 'host not found');
  });
});
