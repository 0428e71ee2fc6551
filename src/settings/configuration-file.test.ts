import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { load, problems, refused } from '../../test/support/settings-files.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadSettings } from './load-settings.ts';

const MAX_SETTINGS_FILE_BYTES = 262_144;

describe('the configuration file', () => {
  it('may be empty or hold only comments', () => {
    for (const yaml of ['', '# nothing\n', '---\n', '\uFEFFport: 8080\n']) {
      assert.equal(load(yaml).port, 8080);
    }
  });

  it('that is not YAML is refused with the line', () => {
    assert.deepEqual(refused('port: 1\nport: 2\n'), [
      'Line 2 of FILE cannot be read as YAML (duplicate key).',
    ]);
    assert.match(refused('host: a\nport: [1\n')[0] ?? '', /^Line \d of FILE cannot be read as YAML/);
    assert.match(refused('port: 1\n---\nport: 2\n')[0] ?? '', /multiple docs/);
    assert.match(refused('- port\n')[0] ?? '', /does not start a map of settings/);
    assert.match(refused('1: 2\n')[0] ?? '', /has a setting whose name is not text/);
    assert.match(refused('host: !x localhost\n')[0] ?? '', /\(tag resolve failed\)/);
    assert.match(refused('host: &a x\ndata_dir: *a\n')[0] ?? '', /^Line 2 of FILE has an alias/);
    const deep = refused('['.repeat(100_000));
    assert.ok(deep.length > 0 && deep.length <= 5, `${deep.length} problems`);
  });

  it('that cannot be read is rejected with the reason, together with the other errors', () => {
    using folder = temporaryFolder();
    const configFile = path.join(folder.path, 'none.yaml');
    assert.deepEqual(
      problems(() => loadSettings({ configFile, env: { PORT: 'x' } })).map(
        (text) => text.replace(folder.path, '').split(';')[0],
      ),
      [
        'The configuration file /none.yaml cannot be read: the file does not exist.',
        'port, from the environment variable PORT, is "x"',
      ],
    );
    const [isFolder = ''] = problems(() => loadSettings({ configFile: folder.path, env: {} }));
    assert.match(isFolder, /it is a folder\.$/);
    assert.match(refused(Buffer.from([0x68, 0xff]))[0] ?? '', /not UTF-8 text\.$/);
  });

  it('has a maximum size', () => {
    assert.match(refused('#'.repeat(MAX_SETTINGS_FILE_BYTES + 1))[0] ?? '', /is larger than 262144 bytes\.$/);
    assert.equal(load('#'.repeat(MAX_SETTINGS_FILE_BYTES)).port, 8080);
  });
});
