import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSettings } from './load-settings.ts';
import { sharedSettings } from './shared-settings.ts';

const shared = (env: Record<string, string>) => sharedSettings(loadSettings({ env }), 'one');

describe('the settings that instances compare', () => {
  it('include the content port that links name, also if it follows from port', () => {
    assert.equal(shared({ PORT: '8090' }).content_port, 8091);
    assert.equal(shared({ PORT: '8090', CONTENT_PORT: '9000' }).content_port, 9000);
  });

  it('omit the content port if links have another address', () => {
    const values = shared({ PORT: '8090', CONTENT_BASE_URL: 'https://courses.example.net' });
    assert.equal(values.content_base_url, 'https://courses.example.net');
    assert.ok(!('content_port' in values));
  });

  it('include where course files are, unless it is a folder, whose path may differ', () => {
    assert.equal(shared({ CONTENT_STORE: 's3://bucket/a' }).content_store, 's3://bucket/a');
    assert.equal(
      shared({ CONTENT_STORE: '/mnt/a' }).content_store,
      shared({ CONTENT_STORE: '/mnt/b' }).content_store,
    );
    assert.equal(shared({ DATA_DIR: '/data' }).content_store, 'not set (/data/content on one)');
  });

  it('omit the port of the service, which may differ', () => {
    assert.ok(!('port' in shared({ PORT: '8090' })));
  });
});
