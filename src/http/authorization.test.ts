import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { SILENT_LOGS } from '../../test/support/logs.ts';
import { type Authorize, callerOf, requireScopes } from './authorization.ts';
import { createServer } from './server.ts';

/** Authorizes the scope or role that the header names. */
const byName: Authorize = async ({ headers }, need) =>
  ('scopes' in need ? need.scopes : [need.role]).includes(headers.authorization ?? '')
    ? { caller: { kind: 'client', id: 'c', user: 'someone@example.com', name: null, scopes: new Set() } }
    : {
        refusal: {
          status: headers.authorization === undefined ? 401 : 403,
          wwwAuthenticate: 'Bearer realm="test"',
          detail: 'No.',
        },
      };

function server(authorize: Authorize = byName): FastifyInstance {
  const made = createServer({
    log: SILENT_LOGS.for('HttpServer'),
    maxBodyBytes: 1_000,
    trustedProxies: [],
    basePath: '',
  });
  requireScopes(made as unknown as FastifyInstance, authorize);
  return made as unknown as FastifyInstance;
}

describe('scopes of routes', () => {
  test('a route that names none is refused at start, whatever its method', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const) {
      await using app = server();
      assert.throws(
        () => app.route({ method, url: '/open', handler: async () => 'open' }),
        /names no scope and no role/,
        method,
      );
    }
  });

  test('a route that names both a scope and a role is refused at start', async () => {
    await using app = server();
    const config = { scope: 'content:read', role: 'admin' };
    assert.throws(() => app.get('/both', { config }, async () => 'open'), /names a scope and a role/);
  });

  test('a route may need a role instead', async () => {
    await using app = server();
    app.get('/people', { config: { role: 'admin' } }, async () => 'people');
    assert.equal((await app.inject('/people')).statusCode, 401);
    const wrong = await app.inject({ url: '/people', headers: { authorization: 'viewer' } });
    assert.equal(wrong.statusCode, 403);
    const right = await app.inject({ url: '/people', headers: { authorization: 'admin' } });
    assert.equal(right.statusCode, 200);
  });

  test('a route may accept one of several scopes', async () => {
    await using app = server();
    const config = { scope: ['content:read', 'webhooks:read'] } as const;
    app.get('/either', { config }, async () => 'either');
    for (const [authorization, status] of [
      ['content:read', 200],
      ['webhooks:read', 200],
      ['webhooks:write', 403],
    ] as const) {
      const answer = await app.inject({ url: '/either', headers: { authorization } });
      assert.equal(answer.statusCode, status, authorization);
    }
  });

  test('HEAD needs the scope of its GET', async () => {
    await using app = server();
    app.get('/things', { config: { scope: 'content:read' } }, async (request) => callerOf(request));
    for (const method of ['GET', 'HEAD'] as const) {
      assert.equal((await app.inject({ method, url: '/things' })).statusCode, 401, method);
      const wrong = await app.inject({ method, url: '/things', headers: { authorization: 'webhooks:read' } });
      assert.equal(wrong.statusCode, 403, method);
      assert.equal(wrong.headers['www-authenticate'], 'Bearer realm="test"');
      const right = await app.inject({ method, url: '/things', headers: { authorization: 'content:read' } });
      assert.equal(right.statusCode, 200, method);
    }
  });

  test('a route receives its caller, and never that of another request', async () => {
    let calls = 0;
    await using app = server(async () => ({
      caller: { kind: 'client', id: 'c', user: `caller ${++calls}`, name: null, scopes: new Set() },
    }));
    app.get('/me', { config: { scope: 'content:read' } }, async (request) => callerOf(request));
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.inject('/me')));
    assert.equal(new Set(answers.map(({ body }) => body)).size, 5);
  });

  test('no request is accepted if the decision fails', async () => {
    await using app = server(() => Promise.reject(new Error('no database')));
    app.get('/things', { config: { scope: 'content:read' } }, async () => 'open');
    const answer = await app.inject({ url: '/things', headers: { authorization: 'content:read' } });
    assert.equal(answer.statusCode, 500);
    assert.doesNotMatch(answer.body, /open|database/);
  });
});
