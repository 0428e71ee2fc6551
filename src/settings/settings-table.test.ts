import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SettingDefinition } from './setting-definition.ts';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName } from './settings-table.ts';

const definition = (name: SettingName): SettingDefinition<unknown> => SETTINGS_TABLE[name];
const isTaken = (name: SettingName, text: string) => 'value' in definition(name).parser.fromText(text);

/** For each setting: valid and invalid values of its environment variable. */
const BOUNDS: Record<
  SettingName,
  { readonly taken: readonly string[]; readonly refused: readonly string[] }
> = {
  host: {
    taken: ['0.0.0.0', '::', '::1', 'localhost', 'wire.example.com', 'a-1'],
    refused: ['[::1]', '127.0.0.256', '1.2.3', 'a b', '-a', '*', 'http://a', 'a:80'],
  },
  smtp_host: {
    taken: ['mail.example.com', '10.0.0.25', '::1', 'localhost'],
    refused: ['mail example', 'smtp://mail', 'mail:25', '-mail', 'm\u0001', 'm'.repeat(254)],
  },
  smtp_port: { taken: ['1', '65535'], refused: ['0', '65536', 'smtp'] },
  smtp_security: { taken: ['starttls', 'tls', 'none'], refused: ['ssl', 'start', ''] },
  smtp_user: { taken: ['alerts@example.com', 'u'], refused: ['a\nb', 'u'.repeat(1001)] },
  smtp_password: { taken: ['open sesame'], refused: ['a\rb', 'p'.repeat(1001)] },
  smtp_from: {
    taken: ['coursewire@example.com', 'alerts@localhost'],
    refused: [
      'example.com',
      'a b@example.com',
      'A <a@example.com>',
      'a@b@example.com',
      'a@example.com\nBcc: b',
    ],
  },
  enable_alerts: { taken: ['true', 'false'], refused: ['0'] },
  alert_check_interval: { taken: ['0.01', '15', '3600'], refused: ['0', '3601', 'often'] },
  port: { taken: ['0', '65535', ' 8080 '], refused: ['-1', '65536', '80.5', '0x50', '1e3', 'NaN', '8080x'] },
  base_url: {
    taken: ['http://localhost:8080', 'https://a.example/b', 'HTTPS://A.example'],
    refused: [
      'a.example',
      'ftp://a.example',
      'https://a.example/?b',
      'https://a.example/#b',
      'https://k:s@a.example',
      'https://k@a.example',
      'http:a.example',
      'https://a b',
      'https://',
      'https://a:99999',
      `https://a.example/${'b'.repeat(2048)}`,
    ],
  },
  content_port: { taken: ['0', '65535'], refused: ['-1', '65536', 'next'] },
  content_base_url: {
    taken: ['http://localhost:8081', 'https://{launch}.content.example.com', 'https://content.example.com/'],
    refused: [
      'content.example.com',
      'https://content.example.com/path',
      'https://{launch}',
      'https://{learner}.example.com',
      'https://a.{launch}.example.com',
      'https://k:s@content.example.com',
    ],
  },
  launch_lifetime: { taken: ['60', '604800'], refused: ['59', '604801'] },
  trusted_proxies: { taken: ['', '10.0.0.1,::1'], refused: ['proxy', Array(257).fill('::1').join()] },
  max_connections: { taken: ['10', '1000000'], refused: ['9', '1000001', '1.5'] },
  monitoring_token: {
    taken: ['0123456789abcdef', 'a-._~+/=Z'.repeat(20)],
    refused: ['0123456789abcde', 'a'.repeat(257), 'with a space inside', 'umlaut-ö-is-too-much'],
  },
  shutdown_delay: { taken: ['0', '0.5', '600'], refused: ['-1', '600.1'] },
  shutdown_timeout: { taken: ['0.01', '600'], refused: ['0', '-1', '600.1'] },
  data_dir: { taken: ['/var/lib/coursewire', 'data'], refused: [' ', 'a\0b', 'a'.repeat(4097)] },
  database_url: {
    taken: [
      'postgres://u:p%40ss@db.example:5432/coursewire?sslmode=verify-full',
      'postgresql://localhost/coursewire',
      'postgres://[::1]/a',
      'postgres://u@a:1/b?application_name=c@d',
      'postgres://a/b?user=u@a',
    ],
    refused: [
      '',
      'mysql://a/b',
      'postgres:a',
      'postgres://',
      'postgres://a b/c',
      'postgres://a:99999/b',
      'postgres://u:1/2@a/b',
      'postgres://u:1?2@a/b',
      'postgres://u:1#2@a/b',
      'localhost',
    ],
  },
  database_connections: { taken: ['3', '1000'], refused: ['2', '1001', '3.5'] },
  enable_webhooks_service: { taken: ['true', 'FALSE'], refused: ['1', 'yes', 'on'] },
  content_store: {
    taken: ['/mnt/courses', 'courses', 's3://bucket', 's3://my.bucket-1/a/b'],
    refused: [
      ' ',
      'a\0b',
      's3://',
      's3://Bucket',
      's3://bucket/../x',
      's3://bucket//x',
      'https://bucket',
      's3://b/x y',
    ],
  },
  content_store_endpoint: {
    taken: ['http://127.0.0.1:9000'],
    refused: ['127.0.0.1:9000', 'http://u:p@host'],
  },
  webhooks_auth_secret: {
    taken: ['x'.repeat(64), '🚒'.repeat(64)],
    refused: ['x'.repeat(63), 'x'.repeat(65), '🚒'.repeat(32)],
  },
  webhooks_auth_secret_previous: { taken: ['x'.repeat(64)], refused: ['x'.repeat(63), 'x'.repeat(65)] },
  enable_queue_polling: { taken: ['true', 'false'], refused: ['0'] },
  queue_driver: { taken: ['database', 'sqs'], refused: ['rabbit', 'memory'] },
  sqs_region: { taken: ['eu-central-1', 'us-gov-west-1'], refused: ['Frankfurt', 'eu central'] },
  sqs_endpoint: {
    taken: ['http://127.0.0.1:4566', 'https://vpce-1.sqs.eu-central-1.vpce.amazonaws.com'],
    refused: ['sqs.amazonaws.com', 'http://user:secret@sqs.example'],
  },
  message_queue_name: { taken: ['a', 'A-b_c.fifo', 'a'.repeat(80)], refused: ['a b', 'a/b', 'a'.repeat(81)] },
  dead_letter_queue_name: { taken: ['a'], refused: ['a b', 'a'.repeat(81)] },
  queue_polling_interval: { taken: ['0.01', '10', '3600'], refused: ['0', '-1', '3601', 'Infinity'] },
  message_queue_max_receives: { taken: ['1', '1000'], refused: ['0', '1001', '1.5'] },
  delivery_timeout: { taken: ['0.01', '600'], refused: ['0', '601'] },
  delivery_concurrency: { taken: ['1', '10000'], refused: ['0', '10001', '1.5'] },
  retry_initial_delay: { taken: ['0.001', '86400'], refused: ['0', '86401'] },
  retry_max_delay: { taken: ['0.001', '604800'], refused: ['0', '604801'] },
  delivery_history_days: { taken: ['1', '3650'], refused: ['0', '0.5', '3651'] },
  audit_log_days: { taken: ['1', '3650'], refused: ['0', '0.5', '3651'] },
  dead_letter_days: { taken: ['1', '3650'], refused: ['0', '0.5', '3651'] },
  target_allowed_networks: { taken: ['', '10.0.0.0/8'], refused: ['10.0.0.0/8;::1'] },
  access_token_lifetime: { taken: ['1', '1.5', '2592000'], refused: ['0', '0.5', '2592001'] },
  session_idle_timeout: { taken: ['300', '2592000'], refused: ['299', '0', '2592001'] },
  session_lifetime: { taken: ['300', '7776000'], refused: ['299', '0', '7776001'] },
  max_webhooks: { taken: ['1', '1000000'], refused: ['0', '1.5', '1000001'] },
  max_assets_per_call: { taken: ['1', '1000000'], refused: ['0', '1.5', '1000001'] },
  max_package_size: {
    taken: ['1024', '500MB', '1GiB', '1.5 gib', '1TiB'],
    refused: ['1023', '0.5', '5M', '1TB1', '2TiB', '-1GiB', '5 parsecs'],
  },
  max_request_body: { taken: ['1KiB', '64MiB'], refused: ['1KB', '65MiB', '2048.5'] },
  log_level: { taken: ['trace', 'INFO', 'silent'], refused: ['warning', '30'] },
  custom_log_levels: {
    taken: ['', 'Database=info', 'Service=DEBUG,Database=warn'],
    refused: [
      'Database',
      'Database=',
      '=info',
      'Database=info=',
      'database=info',
      'Anything=info',
      'Database:info',
      'Database=info,',
    ],
  },
};

describe('the settings table', () => {
  for (const name of SETTING_NAMES) {
    it(`bounds ${name}`, () => {
      for (const text of BOUNDS[name].taken) assert.ok(isTaken(name, text), `${name} refuses ${text}`);
      for (const text of BOUNDS[name].refused) assert.ok(!isTaken(name, text), `${name} takes ${text}`);
    });
  }

  it('has defaults that could be given in a file as well', () => {
    for (const name of SETTING_NAMES) {
      const { default: value, parser } = definition(name);
      const inFile = name === 'custom_log_levels' ? new Map() : value;
      assert.deepEqual(parser.fromYaml(inFile), { value }, name);
    }
  });

  it('explains every setting, and every default that is computed later', () => {
    for (const name of SETTING_NAMES) {
      const { meaning, default: value, defaultInWords } = definition(name);
      assert.match(meaning, /^[A-Z].*\.$/s, name);
      assert.equal(defaultInWords !== undefined, value === null, name);
    }
  });

  it('marks values that must not be shown as secret', () => {
    assert.deepEqual(
      SETTING_NAMES.filter((name) => definition(name).secret),
      [
        'monitoring_token',
        'database_url',
        'webhooks_auth_secret',
        'webhooks_auth_secret_previous',
        'smtp_password',
      ],
    );
  });
});
