import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseUrlOf } from './base-url.ts';

test('links are built from base_url, or otherwise from the listening address', () => {
  const at = (host: string, base_url: string | null = null) => baseUrlOf({ base_url, host, port: 8080 });
  assert.equal(at('0.0.0.0', 'https://wire.example.com/a'), 'https://wire.example.com/a');
  assert.equal(at('127.0.0.1'), 'http://127.0.0.1:8080');
  assert.equal(at('wire.internal'), 'http://wire.internal:8080');
  assert.equal(at('::1'), 'http://[::1]:8080');
  assert.equal(at('0.0.0.0'), 'http://localhost:8080');
  for (const every of ['::', '::0', '0:0:0:0:0:0:0:0', '0', '0.0'])
    assert.equal(at(every), 'http://localhost:8080');
});
