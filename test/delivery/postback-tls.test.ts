import assert from 'node:assert/strict';
import { createServer, type ServerOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { describe, it } from 'node:test';
import { listenOnFreePort } from '../support/free-port.ts';
import { startTarget } from '../support/target.ts';
import { loopbackSender, postbackTo } from '../support/target-sender.ts';
import { type TargetCertificate, targetCertificate, testAuthority } from '../support/target-tls.ts';

// Needs a process of its own: it changes an environment variable that all connections of a process heed.

/** An HTTPS server with these options that responds with 200. */
async function startTlsServer(options: ServerOptions): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer({ ...targetCertificate('trusted'), ...options }, (_request, response) =>
    response.end(),
  );
  server.on('tlsClientError', () => {});
  const port = await listenOnFreePort(server);
  return {
    url: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

const toLoopback: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

describe('a target that speaks TLS', () => {
  it('gets postbacks if its certificate is trusted, by address and by name', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    await using sender = loopbackSender({ ca: [testAuthority()], lookup: toLoopback });
    for (const url of [target.url, `https://target.test:${target.port}/`])
      assert.equal((await sender.send(postbackTo(url))).outcome, 'DELIVERED');
    assert.equal(target.acceptedConnections, 2);
  });

  it('gets several postbacks over one connection', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    await using sender = loopbackSender({ ca: [testAuthority()] });
    for (let n = 0; n < 5; n += 1) await sender.send(postbackTo(target.url));
    assert.equal(target.acceptedConnections, 1);
    assert.equal(target.requests.length, 5);
  });

  const reasons: Record<Exclude<TargetCertificate, 'trusted'>, string> = {
    expired: 'certificate has expired',
    'not-yet-valid': 'certificate is not valid yet',
    'other-host': 'certificate is for another host name',
    'self-signed': 'self-signed certificate',
    'unknown-authority': 'certificate is from an unknown authority',
  };
  for (const [certificate, reason] of Object.entries(reasons))
    it(`is sent nothing when its certificate is ${certificate}`, async () => {
      await using target = await startTarget({ tls: certificate as TargetCertificate });
      await using sender = loopbackSender({ ca: [testAuthority()] });
      const result = await sender.send(postbackTo(target.url));
      assert.deepEqual([result.outcome, result.status, result.reason], ['FAILED', null, reason]);
      assert.equal(target.requests.length, 0);
      assert.equal(sender.connections, 0);
    });

  it('is sent nothing if its certificate is wrong, even if the environment disables checks', async () => {
    await using target = await startTarget({ tls: 'self-signed' });
    await using sender = loopbackSender();
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      assert.equal((await sender.send(postbackTo(target.url))).reason, 'self-signed certificate');
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
    assert.equal(target.requests.length, 0);
  });

  it('is sent nothing if its certificate is for another name than the URL', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    await using sender = loopbackSender({ ca: [testAuthority()], lookup: toLoopback });
    const result = await sender.send(postbackTo(`https://another.test:${target.port}/`));
    assert.equal(result.reason, 'certificate is for another host name');
    assert.equal(target.requests.length, 0);
  });

  it('is sent nothing if its certificate authority is not trusted', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    await using sender = loopbackSender();
    const result = await sender.send(postbackTo(target.url));
    assert.equal(result.reason, 'certificate is from an unknown authority');
    assert.equal(target.requests.length, 0);
  });

  it('but does not finish the handshake fails at the deadline', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    target.acceptWith('hang');
    await using sender = loopbackSender({ ca: [testAuthority()], deadlineMs: 100 });
    assert.equal((await sender.send(postbackTo(target.url))).reason, 'timed out after 0.1 s');
    await target.waitUntil(() => target.openConnections === 0);
  });

  it('but resets the connection in the handshake', async () => {
    await using target = await startTarget({ tls: 'trusted' });
    target.acceptWith('reset');
    await using sender = loopbackSender({ ca: [testAuthority()] });
    assert.equal((await sender.send(postbackTo(target.url))).reason, 'connection reset');
  });
});

describe('the handshake with a target', () => {
  const clientCertificate = { requestCert: true, rejectUnauthorized: true, ca: [testAuthority()] };
  const refusals: readonly [target: string, options: ServerOptions, reason: string][] = [
    [
      'that requires a client certificate, with TLS 1.3,',
      { ...clientCertificate, minVersion: 'TLSv1.3' },
      'the target requires a client certificate',
    ],
    [
      'that requires a client certificate, with TLS 1.2,',
      { ...clientCertificate, maxVersion: 'TLSv1.2' },
      'there is no common cipher, or the target requires a client certificate',
    ],
    [
      'without a common cipher',
      { maxVersion: 'TLSv1.2', ciphers: 'NULL-SHA256@SECLEVEL=0' },
      'there is no common cipher, or the target requires a client certificate',
    ],
    [
      'that supports only old versions',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'the target supports neither TLS 1.2 nor TLS 1.3',
    ],
    ['that supports only HTTP/2', { ALPNProtocols: ['h2'] }, 'the target does not support HTTP/1.1'],
  ];
  for (const [target, options, reason] of refusals)
    it(`${target} fails with a reason that says so`, async () => {
      await using server = await startTlsServer(options);
      await using sender = loopbackSender({ ca: [testAuthority()] });
      for (let n = 0; n < 3; n += 1) {
        const result = await sender.send(postbackTo(server.url));
        assert.equal(result.reason, `TLS handshake failed, ${reason}`);
      }
    });
});

describe('a target that does not speak TLS', () => {
  it('with an https URL is a failure that says so', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    const result = await sender.send(postbackTo(`https://127.0.0.1:${target.port}/`));
    assert.equal(result.reason, 'TLS handshake failed, the target does not use TLS');
  });
});
