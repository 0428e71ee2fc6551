import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite alone: the description of the API is the same on every database.

interface Description {
  servers: unknown;
  components: { securitySchemes: Record<string, object> };
}

describe('the OpenAPI description at its addresses', () => {
  let service: TestService;
  let document: Description;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
  });

  test('without base_url, has the address at which it was requested', async () => {
    const { port } = new URL(service.url);
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      const described = (await (await fetch(`${origin}/openapi.json`)).json()) as Description;
      assert.deepEqual(described.servers, [{ url: origin }]);
      const schemes = JSON.stringify(described.components.securitySchemes);
      assert.ok(schemes.includes(`"tokenUrl":"${origin}/public/v1/auth"`), schemes);
    }
  });

  test('is not given by a shared cache to those who requested it at another address', async () => {
    await using proxied = await startTestService({ settings: { trusted_proxies: ['127.0.0.1'] } });
    const addressed: Record<string, Record<string, string>> = {
      'http://other.example': { 'x-forwarded-host': 'other.example' },
      [proxied.url.replace('http:', 'https:')]: { 'x-forwarded-proto': 'https' },
    };
    for (const [url, headers] of Object.entries(addressed)) {
      const response = await fetch(`${proxied.url}/openapi.json`, { headers });
      assert.deepEqual(((await response.json()) as { servers: unknown }).servers, [{ url }]);
      const keyed = (response.headers.get('vary') ?? '').toLowerCase().split(', ');
      for (const name of ['host', ...Object.keys(headers)]) assert.ok(keyed.includes(name), name);
    }
  });

  test('is shown by a reference page that loads nothing from elsewhere', async () => {
    const page = await fetch(`${service.url}/docs/`);
    assert.equal(page.status, 200);
    const html = await page.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    assert.ok(loaded.length > 0);
    for (const address of loaded) {
      assert.doesNotMatch(address, /^(?:[a-z]+:)?\/\//i);
      const part = await fetch(new URL(address, `${service.url}/docs/`));
      assert.equal(part.status, 200, address);
      await part.arrayBuffer();
    }
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /https?:/);
  });

  test('has one address: other usual addresses redirect to it, or are not found', async () => {
    const usual = await fetch(`${service.url}/docs/json`);
    assert.equal(usual.url, `${service.url}/openapi.json`);
    assert.deepEqual(await usual.json(), document);
    const yaml = await fetch(`${service.url}/docs/yaml`);
    assert.equal(yaml.status, 404);
    assert.equal(yaml.headers.get('content-type'), 'application/problem+json');
    await yaml.arrayBuffer();
  });

  test('has the reference page and the token endpoint below the path of base_url', async () => {
    const baseUrl = 'https://learn.example/coursewire';
    await using proxied = await startTestService({ settings: { base_url: baseUrl } });
    const page = await (await fetch(`${proxied.url}/docs`)).text();
    const files = Array.from(page.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file!);
    assert.ok(files.length >= 4);
    for (const file of files) assert.match(file, /^\/coursewire\/docs\/static\//);
    const started = await (await fetch(`${proxied.url}/docs/static/swagger-initializer.js`)).text();
    assert.match(started, /"\/coursewire\/openapi\.json"/);
    const described = (await (await fetch(`${proxied.url}/openapi.json`)).json()) as Description;
    assert.match(JSON.stringify(described.components.securitySchemes), new RegExp(`"tokenUrl":"${baseUrl}/`));
    const usual = await fetch(`${proxied.url}/docs/json`, { redirect: 'manual' });
    assert.equal(usual.headers.get('location'), '/coursewire/openapi.json');
  });
});
