import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { startTarget } from '../../test/support/target.ts';
import { testAuthority } from '../../test/support/target-tls.ts';
import { type ConnectTarget, TargetConnector } from './target-connector.ts';
import { TargetGuard } from './target-guard.ts';

function connectorWith(allowedNetworks: readonly string[] = ['127.0.0.0/8']): TargetConnector {
  const guard = new TargetGuard({
    allowedNetworks,
    lookup: (_hostname, _options, callback) =>
      setImmediate(() => callback(null, [{ address: '127.0.0.1', family: 4 }])),
  });
  return new TargetConnector({ guard, ca: [testAuthority()] });
}

function open(connector: TargetConnector, target: ConnectTarget): Promise<Socket> {
  return new Promise((resolve, reject) =>
    connector.connect(target, null, (error, socket) => (socket === null ? reject(error) : resolve(socket))),
  );
}

describe('connecting to a target', () => {
  it('connects to a literal address only if it is allowed, although nothing is looked up', async () => {
    await using target = await startTarget();
    const strict = connectorWith([]);
    for (const hostname of ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1%lo'])
      await assert.rejects(open(strict, { hostname, protocol: 'http:', port: String(target.port) }), {
        name: 'TargetRefusedError',
        message: `target address ${hostname} is not allowed`,
      });
    assert.equal(target.acceptedConnections, 0);
  });

  it('goes to the address of a name only if it is allowed', async () => {
    await using target = await startTarget();
    const wanted = { hostname: 'target.test', protocol: 'http:', port: String(target.port) };
    await assert.rejects(open(connectorWith([]), wanted), { name: 'TargetRefusedError' });
    assert.equal(target.acceptedConnections, 0);

    const socket = await open(connectorWith(), wanted);
    assert.equal(socket.remoteAddress, '127.0.0.1');
    socket.destroy();
  });

  it('goes to the default port of the scheme if the URL has none', async () => {
    const connector = connectorWith();
    for (const [protocol, expected] of [
      ['http:', 80],
      ['https:', 443],
    ] as const) {
      const socket = connector.connect({ hostname: 'target.test', protocol, port: '' }, null, () => {});
      assert.ok(socket !== null);
      const [, port] = await once(socket, 'connectionAttempt');
      socket.destroy();
      assert.equal(port, expected);
    }
  });

  it('sends the host name over TLS, but not an address (RFC 6066 §3), and uses HTTP/1.1', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    for (const [hostname, servername] of [
      ['target.test', 'target.test'],
      ['127.0.0.1', false],
    ] as const) {
      const socket = await open(connectorWith(), { hostname, protocol: 'https:', port: String(target.port) });
      assert.ok(socket instanceof TLSSocket);
      assert.equal(socket.servername ?? false, servername);
      socket.destroy();
    }
  });
});
