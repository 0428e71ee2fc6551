import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeSettings } from './describe-settings.ts';
import { loadSettings } from './load-settings.ts';
import { SETTING_NAMES } from './settings-table.ts';

describe('the settings in the start-up log', () => {
  it('are all there, each with its value and whether that is the default', () => {
    const described = describeSettings(loadSettings({ env: { PORT: '0', TRUSTED_PROXIES: '10.0.0.1' } }));
    assert.deepEqual(
      described.map(({ name }) => name),
      SETTING_NAMES,
    );
    assert.deepEqual(
      described.filter((setting) => !setting.default),
      [
        { name: 'port', value: 0, default: false },
        { name: 'trusted_proxies', value: ['10.0.0.1/32'], default: false },
      ],
    );
  });

  it('show of a secret only whether it is set', () => {
    const secretOf = (env: NodeJS.ProcessEnv) =>
      describeSettings(loadSettings({ env })).find(({ name }) => name === 'webhooks_auth_secret');
    assert.deepEqual(secretOf({}), { name: 'webhooks_auth_secret', value: null, default: true });
    assert.deepEqual(secretOf({ WEBHOOKS_AUTH_SECRET: 'hunter2-'.repeat(8) }), {
      name: 'webhooks_auth_secret',
      value: '(set, not shown)',
      default: false,
    });
  });
});
