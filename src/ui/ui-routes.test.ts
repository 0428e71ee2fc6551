import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { readUiBuild } from './ui-build.ts';
import { uiRoutes } from './ui-routes.ts';

const SCRIPT = "document.documentElement.dataset.ready = '1'";
const PAGE = `<!doctype html><base href="__BASE__"><meta property="csp-nonce" nonce="__NONCE__"><script>${SCRIPT}</script>`;

async function serve({ built = true, basePath = '' } = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'coursewire-ui-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  if (built) {
    mkdirSync(path.join(folder, 'assets'));
    writeFileSync(path.join(folder, 'index.html'), PAGE);
    writeFileSync(path.join(folder, 'secret.txt'), 'not to be served');
    writeFileSync(path.join(folder, 'assets', 'main-1.js'), 'export {};');
    writeFileSync(path.join(folder, 'assets', 'main-1.js.gz'), gzipSync('export {};'));
  }
  const server = fastify();
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ title: 'nothing' }));
  await server.register(uiRoutes, { build: readUiBuild(folder), basePath });
  stack.defer(() => server.close());
  const kept = stack.move();
  return { server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe('serving the admin UI', () => {
  it('redirects from the root to the UI', async () => {
    await using ui = await serve();
    for (const url of ['/', '/ui']) {
      const answer = await ui.server.inject(url);
      assert.equal(answer.statusCode, 302);
      assert.equal(answer.headers.location, '/ui/');
    }
  });

  it('returns the page at every address below /ui/, with the base path in it', async () => {
    await using ui = await serve({ basePath: '/learning' });
    for (const url of ['/ui/', '/ui/accounts/7?sort=name', '/ui/administration/integrations']) {
      const answer = await ui.server.inject(url);
      assert.equal(answer.statusCode, 200);
      assert.match(answer.headers['content-type'] as string, /^text\/html/);
      assert.match(answer.body, /<base href="\/learning\/ui\/">/);
    }
  });

  it('writes a base path with special characters unchanged', async () => {
    await using ui = await serve({ basePath: '/a$&b' });
    assert.match((await ui.server.inject('/ui/')).body, /<base href="\/a\$&b\/ui\/">/);
  });

  it('allows the scripts of the build only, styles by a nonce that is new each time, and no frame', async () => {
    await using ui = await serve();
    const [first, second] = [await ui.server.inject('/ui/'), await ui.server.inject('/ui/')];
    const policy = first.headers['content-security-policy'] as string;
    assert.match(policy, /script-src 'self' 'sha256-[A-Za-z0-9+/]+=*'(;|$)/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.match(policy, /frame-ancestors 'none'/);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    assert.ok(nonce !== undefined && first.body.includes(`nonce="${nonce}"`));
    assert.ok(!second.body.includes(nonce));
  });

  it('serves files by their hashed names, cacheable forever and compressed by the build', async () => {
    await using ui = await serve();
    const answer = await ui.server.inject({
      url: '/ui/assets/main-1.js',
      headers: { 'accept-encoding': 'gzip' },
    });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.match(answer.headers['cache-control'] as string, /max-age=31536000.*immutable/);
    assert.equal(answer.headers['x-frame-options'], 'DENY');
  });

  it('serves no other files, neither outside its folder nor missing ones', async () => {
    await using ui = await serve();
    for (const url of ['/ui/assets/..%2fsecret.txt', '/ui/assets/%2e%2e/secret.txt', '/ui/assets/none.js']) {
      const answer = await ui.server.inject(url);
      assert.doesNotMatch(answer.body, /not to be served/, url);
    }
    assert.equal((await ui.server.inject('/ui/assets/none.js')).statusCode, 404);
  });

  it('returns a problem for an unknown address of its own interface', async () => {
    await using ui = await serve();
    const answer = await ui.server.inject('/ui/api/nothing');
    assert.equal(answer.statusCode, 404);
    assert.deepEqual(answer.json(), { title: 'nothing' });
  });

  it('reports that it was not built', async () => {
    await using ui = await serve({ built: false });
    const answer = await ui.server.inject('/ui/');
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /npm run build:ui/);
  });
});
