import assert from 'node:assert/strict';
import fs, { writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { failureReason } from '../../src/delivery/failure-reason.ts';
import {
  NameResolver,
  type NameResolverOptions,
  NameServiceDownError,
} from '../../src/delivery/name-resolver.ts';
import { makeDelivery } from '../support/delivery.ts';
import { type NameBehaviour, startNameServer } from '../support/name-server.ts';
import { startTarget } from '../support/target.ts';
import { loopbackSender, postbackTo } from '../support/target-sender.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: looking up names does not involve the database.

const MANY = 64;

/** Names below `.silent.test` get no response, `good….test` are at 127.0.0.1, all others do not exist. */
function behaviourOf(name: string): NameBehaviour {
  if (name.endsWith('silent.test')) return 'silent';
  if (name === 'broken.test') return 'broken';
  return name === '' || name.startsWith('good') ? ['127.0.0.1'] : 'absent';
}

async function resolverWith(
  behaviour: (name: string) => NameBehaviour,
  files: { hosts?: string; resolver?: string } = {},
) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const server = stack.use(await startNameServer(behaviour));
  const paths = { hostsFile: join(folder.path, 'hosts'), resolverFile: join(folder.path, 'resolv.conf') };
  if (files.hosts !== undefined) await writeFile(paths.hostsFile, files.hosts);
  if (files.resolver !== undefined) await writeFile(paths.resolverFile, files.resolver);
  const options: NameResolverOptions = { nameServers: [server.address], ...paths };
  const opened = stack.move();
  return {
    resolver: new NameResolver(options),
    server,
    paths,
    addresses: async (resolver: NameResolver, name: string) =>
      (await resolver.find(name)).map(({ address }) => address),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A resolver whose name servers refuse the root, fail for names that are `broken`, and know all others. */
async function lockedDownResolver(files: { resolver?: string } = {}) {
  const broken: string[] = [];
  const behaviour = (name: string) =>
    name === '' ? 'refused' : broken.includes(name) ? 'broken' : ['127.0.0.1'];
  return Object.assign(await resolverWith(behaviour, files), { broken });
}

describe('targets whose host names cannot be resolved', () => {
  it('delay no other target', async () => {
    await using names = await resolverWith(behaviourOf);
    await using target = await startTarget();
    await using sender = loopbackSender({ lookup: names.resolver.lookup });
    let ended = 0;
    const silent = Array.from({ length: MANY }, async (_, n) => {
      await sender.send(postbackTo(`http://h${n}.silent.test:${target.port}/`));
      ended += 1;
    });
    await until(async () => new Set(names.server.asked).size >= MANY, 'all silent names are requested');
    for (const name of ['good1', 'good2', 'good3']) {
      const result = await sender.send(postbackTo(`http://${name}.test:${target.port}/`));
      assert.equal(result.outcome, 'DELIVERED', result.reason ?? '');
    }
    assert.equal(ended, 0, 'they did not wait for the others');
    sender.abort();
    await Promise.all(silent);
  });

  it('fail, since other names get answers, and the deadline starts only after the lookup', async () => {
    await using names = await resolverWith(behaviourOf);
    await using sender = loopbackSender({ lookup: names.resolver.lookup, deadlineMs: 10 });
    const { unsent, reason } = await sender.send(postbackTo('http://silent.test/'));
    assert.deepEqual([unsent, reason], [false, 'host name lookup failed, no response for this name']);
  });

  it('lose no attempt if no name server responds, and get their messages in order once one does', async () => {
    let down = true;
    await using names = await resolverWith((name) => (down ? 'silent' : behaviourOf(name)));
    await using target = await startTarget();
    await using delivery = await makeDelivery({ lookup: names.resolver.lookup });
    const webhook = await delivery.addWebhook(`http://good.test:${target.port}/`, { maxAttempts: 1 });
    await delivery.put(webhook, 'a', 'b');
    delivery.worker.start();
    await until(async () => delivery.counted.postponed.length > 0, 'a message is postponed');
    const { receiveCount } = await until(async () => {
      const { head } = await delivery.queue.lines.line(webhook);
      return head !== null && !head.inFlight ? head : null;
    }, 'the message is back in its line');
    assert.equal(receiveCount, 0);
    const { reason, webhooks } = delivery.connectionTroubles.current() ?? {};
    assert.deepEqual([reason, webhooks], ['no name server responds', 1]);
    down = false;
    await target.waitFor(2);
    await until(async () => delivery.counted.attempts.length === 2, 'both are settled');
    assert.deepEqual(delivery.counted.attempts, ['success', 'success']);
    assert.equal(delivery.connectionTroubles.current(), null);
    assert.deepEqual(
      target.requests.map(({ text }) => text),
      ['{"name":"a"}', '{"name":"b"}'],
    );
  });

  it('fail, and the attempt counts, if the name does not exist', async () => {
    await using names = await resolverWith(behaviourOf);
    await using delivery = await makeDelivery({ lookup: names.resolver.lookup });
    await delivery.put(await delivery.addWebhook('http://nobody.test/', { maxAttempts: 2 }), 'a');
    delivery.worker.start();
    await until(async () => delivery.counted.attempts.length === 2, 'both attempts failed');
    assert.deepEqual(delivery.counted.attempts, ['retry', 'dead_letter']);
    assert.deepEqual(delivery.counted.postponed, []);
  });
});

/** Lets the machine have the network interfaces that `list` returns. */
function withInterfaces(list: typeof os.networkInterfaces): Disposable {
  const { networkInterfaces } = os;
  const set = (used: typeof networkInterfaces) => {
    os.networkInterfaces = used;
    syncBuiltinESMExports();
  };
  set(list);
  return { [Symbol.dispose]: () => set(networkInterfaces) };
}

describe('on a machine that does not list its network interfaces, a host name', () => {
  /** As under a systemd unit without AF_NETLINK. */
  function withoutInterfaces(): Disposable {
    return withInterfaces(() => {
      throw Object.assign(new Error('uv_interface_addresses returned Unknown system error 97'), {
        code: 'ERR_SYSTEM_ERROR',
      });
    });
  }

  it('is looked up in both families', async () => {
    await using names = await resolverWith(() => ['192.0.2.1', '2001:db8::1']);
    using _refused = withoutInterfaces();
    assert.deepEqual(await names.addresses(names.resolver, 'both.test'), ['192.0.2.1', '2001:db8::1']);
  });

  it('that does not exist fails like everywhere else', async () => {
    await using names = await resolverWith(() => 'absent');
    using _refused = withoutInterfaces();
    await assert.rejects(names.resolver.find('nobody.test'), { code: 'ENOTFOUND' });
  });
});

describe('on a machine without IPv6, a host name', () => {
  const withoutIpv6 = () => withInterfaces(() => ({}));

  it('with only IPv6 addresses is a failed attempt with that reason', async () => {
    await using names = await resolverWith(() => ['2001:db8::1']);
    using _none = withoutIpv6();
    await using sender = loopbackSender({ lookup: names.resolver.lookup });
    const { unsent, reason } = await sender.send(postbackTo('http://new.test/'));
    assert.deepEqual(
      [unsent, reason],
      [false, 'the host has only IPv6 addresses, and this machine has none'],
    );
  });

  it('with addresses of both families is found, without a query for the useless ones', async () => {
    await using names = await resolverWith(() => ['192.0.2.1', '2001:db8::1']);
    using _none = withoutIpv6();
    assert.deepEqual(await names.addresses(names.resolver, 'both.test'), ['192.0.2.1']);
    assert.deepEqual(names.server.asked, ['both.test']);
  });

  it('is completed by a search domain although it has only IPv6 addresses without it', async () => {
    const found = (name: string) => (name === 'x.y' ? ['2001:db8::1'] : ['192.0.2.1']);
    await using names = await resolverWith(found, { resolver: 'search a.test' });
    using _none = withoutIpv6();
    assert.deepEqual(await names.addresses(names.resolver, 'x.y'), ['192.0.2.1']);
  });

  it('without any address does not exist', async () => {
    await using names = await resolverWith(() => []);
    using _none = withoutIpv6();
    await assert.rejects(names.resolver.find('empty.test'), { code: 'ENOTFOUND' });
  });
});

describe('on a machine without free file descriptors, a host name', () => {
  /** Looking at a file needs no descriptor, reading it does. */
  function withoutDescriptors(): Disposable {
    const { readFile } = fs;
    const set = (read: typeof readFile) => {
      fs.readFile = read;
      syncBuiltinESMExports();
    };
    set(() => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' })));
    return { [Symbol.dispose]: () => set(readFile) };
  }

  it('of the hosts file costs no attempt, and is found once one is free', async () => {
    await using names = await resolverWith(() => 'absent', { hosts: '10.9.8.7 crm.test\n' });
    await using sender = loopbackSender({ lookup: names.resolver.lookup });
    {
      using _none = withoutDescriptors();
      const { unsent } = await sender.send(postbackTo('http://crm.test/'));
      assert.equal(unsent, true);
    }
    assert.deepEqual(await names.addresses(names.resolver, 'crm.test'), ['10.9.8.7']);
  });

  it('of the hosts file is still known if the file was read before', async () => {
    await using names = await resolverWith(() => 'absent', { hosts: '10.9.8.7 crm.test\n' });
    await names.addresses(names.resolver, 'crm.test');
    using _none = withoutDescriptors();
    assert.deepEqual(await names.addresses(names.resolver, 'crm.test'), ['10.9.8.7']);
  });
});

describe('a host name', () => {
  const HOSTS =
    '127.0.0.5 one.test One\n# 127.0.0.6 no.test\nnonsense two.test\n127.0.0.7\tone.test # twice\n::1 one.test';

  it('is looked up in the hosts file first, whatever its case', async () => {
    await using names = await resolverWith(() => ['127.0.0.9'], { hosts: HOSTS });
    const { resolver, addresses } = names;
    assert.deepEqual(await addresses(resolver, 'ONE.test'), ['127.0.0.5', '127.0.0.7', '::1']);
    assert.deepEqual(await addresses(resolver, 'one'), ['127.0.0.5']);
    assert.deepEqual(await addresses(resolver, 'one.test.'), ['127.0.0.5', '127.0.0.7', '::1']);
    assert.deepEqual(names.server.asked, []);
    assert.deepEqual(await addresses(resolver, 'no.test'), ['127.0.0.9']);
  });

  it('is looked up in the changed hosts file', async () => {
    await using names = await resolverWith(() => 'absent', { hosts: '127.0.0.5 one.test' });
    assert.deepEqual(await names.addresses(names.resolver, 'one.test'), ['127.0.0.5']);
    await writeFile(names.paths.hostsFile, '127.0.0.66 one.test');
    assert.deepEqual(await names.addresses(names.resolver, 'one.test'), ['127.0.0.66']);
  });

  it('of this machine is never looked up on a name server', async () => {
    await using names = await resolverWith(() => ['192.0.2.1']);
    for (const name of ['localhost', 'app.localhost', 'LOCALHOST.'])
      assert.deepEqual(await names.addresses(names.resolver, name), ['127.0.0.1', '::1']);
    assert.deepEqual(names.server.asked, []);
  });

  it('is completed by search domains as Kubernetes sets them: the ones with few dots first', async () => {
    const known = 'receiver.team.svc.cluster.local';
    await using names = await resolverWith((name) => (name === known ? ['127.0.0.1'] : 'absent'), {
      resolver: 'search other.svc.cluster.local svc.cluster.local cluster.local\noptions timeout:1 ndots:5\n',
    });
    assert.deepEqual(await names.addresses(names.resolver, 'receiver.team'), ['127.0.0.1']);
    assert.deepEqual([...new Set(names.server.asked)], ['receiver.team.other.svc.cluster.local', known]);
    names.server.asked.length = 0;
    await assert.rejects(names.resolver.find('receiver.team.'), { code: 'ENOTFOUND' });
    assert.deepEqual([...new Set(names.server.asked)], ['receiver.team']);
  });

  it('with as many dots as ndots is first looked up unchanged', async () => {
    await using names = await resolverWith(() => 'absent', { resolver: 'search a.test b.test.' });
    await assert.rejects(names.resolver.find('x.y'), { code: 'ENOTFOUND' });
    assert.deepEqual([...new Set(names.server.asked)], ['x.y', 'x.y.a.test', 'x.y.b.test']);
  });

  for (const [upstream, shown] of [
    ['broken', 'the name servers refuse or fail all lookups'],
    ['silent', 'no name server responds'],
  ] as const)
    it(`is not blamed if only the cluster's own name server responds, and those behind it are ${upstream}`, async () => {
      const behaviour = (name: string) => (name.endsWith('.cluster.local') ? 'absent' : upstream);
      await using names = await resolverWith(behaviour, {
        resolver: 'search team.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n',
      });
      const lookups = ['crm.example', 'hooks.example'].map((name) => names.resolver.find(name));
      for (const lookup of await Promise.allSettled(lookups)) {
        assert.ok(lookup.status === 'rejected' && lookup.reason instanceof NameServiceDownError);
        assert.equal(failureReason(lookup.reason), shown);
      }
    });

  it('is blamed if it does not exist, although it cannot be completed by a search domain', async () => {
    const behaviour = (name: string) => (name === 'x.y' ? 'absent' : 'broken');
    await using names = await resolverWith(behaviour, { resolver: 'search a.test' });
    await assert.rejects(names.resolver.find('x.y'), { code: 'ESERVFAIL' });
  });

  it('is blamed if a name server fails on it but answers for other names', async () => {
    await using names = await resolverWith(behaviourOf);
    await assert.rejects(names.resolver.find('broken.test'), { code: 'ESERVFAIL' });
  });

  it('is blamed although it was the last one that was found, if an earlier one still is', async () => {
    await using names = await lockedDownResolver();
    for (const name of ['good.test', 'other.test']) await names.resolver.find(name);
    names.broken.push('other.test');
    await assert.rejects(names.resolver.find('other.test'), { code: 'ESERVFAIL' });
    await assert.rejects(names.resolver.find('OTHER.test.'), { code: 'ESERVFAIL' });
  });

  it('is blamed although it was the last one that a search domain completed', async () => {
    await using names = await lockedDownResolver({ resolver: 'search x.test y.test' });
    for (const name of ['good', 'other']) await names.resolver.find(name);
    assert.deepEqual([...new Set(names.server.asked)], ['good.x.test', 'other.x.test']);
    names.broken.push('other', 'other.x.test', 'other.y.test');
    await assert.rejects(names.resolver.find('other'), { code: 'ESERVFAIL' });
  });

  it('is blamed if it fails together with others, and one of them is the only name that is found', async () => {
    await using names = await lockedDownResolver();
    for (const name of ['good.test', 'other.test']) await names.resolver.find(name);
    names.broken.push('other.test', 'new.test');
    const lookups = ['other.test', 'new.test', 'other.test'].map((name) => names.resolver.find(name));
    for (const lookup of await Promise.allSettled(lookups))
      assert.equal(lookup.status === 'rejected' && lookup.reason.code, 'ESERVFAIL');
  });

  it('is not blamed if it is the only name that was ever found, until another one is', async () => {
    await using names = await lockedDownResolver();
    await names.resolver.find('other.test');
    names.broken.push('other.test');
    await assert.rejects(names.resolver.find('other.test'), NameServiceDownError);
    await names.resolver.find('good.test');
    await assert.rejects(names.resolver.find('other.test'), { code: 'ESERVFAIL' });
  });

  for (const [behaviour, shown] of [
    ['broken', 'the name servers refuse or fail all lookups'],
    ['refused', 'the name servers refuse or fail all lookups'],
    ['silent', 'no name server responds'],
  ] as const)
    it(`is not blamed if all names that were found before are ${behaviour}`, async () => {
      let down = false;
      await using names = await resolverWith(() => (down ? behaviour : ['127.0.0.1']));
      const all = ['one.test', 'two.test', 'three.test'];
      for (const name of all) await names.resolver.find(name);
      down = true;
      const lookups = [...all, 'new.test'].map((name) => names.resolver.find(name));
      for (const lookup of await Promise.allSettled(lookups)) {
        assert.ok(lookup.status === 'rejected' && lookup.reason instanceof NameServiceDownError);
        assert.equal(failureReason(lookup.reason), shown);
      }
    });

  for (const behaviour of ['broken', 'refused'] as const)
    it(`is not blamed if the name servers respond to every name that it is ${behaviour}`, async () => {
      await using names = await resolverWith(() => behaviour);
      await assert.rejects(names.resolver.find('good.test'), NameServiceDownError);
      await using sender = loopbackSender({ lookup: names.resolver.lookup });
      const { unsent, reason } = await sender.send(postbackTo('http://good.test/'));
      assert.deepEqual([unsent, reason], [true, 'the name servers refuse or fail all lookups']);
    });

  it('is not blamed if it gets no response and the name servers refuse the root', async () => {
    await using names = await resolverWith((name) => (name === '' ? 'refused' : 'silent'));
    await assert.rejects(names.resolver.find('good.test'), {
      name: 'NameServiceDownError',
      code: 'NAME_SERVICE_FAILS',
    });
  });

  it('is not blamed if no name server can be reached', async () => {
    const resolver = new NameResolver({ nameServers: ['127.0.0.1:1'] });
    await assert.rejects(resolver.find('good.test'), {
      name: 'NameServiceDownError',
      code: 'NAME_SERVICE_SILENT',
    });
  });
});
