import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, problems, refused, refusedEnv } from '../../test/support/settings-files.ts';
import { loadSettings } from './load-settings.ts';
import { LOG_CLASSES } from './log-classes.ts';
import { SETTING_NAMES, SETTINGS_TABLE } from './settings-table.ts';

const SECRET = 'hunter2-'.repeat(8);

describe('settings', () => {
  it('are their defaults when nothing is set', () => {
    assert.deepEqual(loadSettings({ env: {} }), {
      host: '127.0.0.1',
      port: 8080,
      base_url: null,
      content_port: null,
      content_base_url: null,
      trusted_proxies: [],
      max_connections: 8_192,
      monitoring_token: null,
      shutdown_delay: 0,
      shutdown_timeout: 10,
      data_dir: './data',
      database_url: null,
      database_connections: 20,
      content_store: null,
      content_store_endpoint: null,
      enable_webhooks_service: true,
      webhooks_auth_secret: null,
      webhooks_auth_secret_previous: null,
      enable_queue_polling: true,
      queue_driver: 'database',
      sqs_region: null,
      sqs_endpoint: null,
      message_queue_name: 'coursewire-messages.fifo',
      dead_letter_queue_name: 'coursewire-dead-letters.fifo',
      queue_polling_interval: 10,
      message_queue_max_receives: 1000,
      delivery_timeout: 30,
      delivery_concurrency: 256,
      retry_initial_delay: 5,
      retry_max_delay: 3600,
      delivery_history_days: 30,
      dead_letter_days: 90,
      target_allowed_networks: null,
      access_token_lifetime: 3600,
      session_idle_timeout: 43_200,
      session_lifetime: 604_800,
      audit_log_days: 365,
      enable_alerts: true,
      alert_check_interval: 15,
      smtp_host: null,
      smtp_port: 587,
      smtp_security: 'starttls',
      smtp_user: null,
      smtp_password: null,
      smtp_from: null,
      launch_lifetime: 43_200,
      max_webhooks: 10_000,
      max_assets_per_call: 5_000,
      max_package_size: 1_073_741_824,
      max_request_body: 1_048_576,
      log_level: 'info',
      custom_log_levels: {},
    });
  });

  it('are read from the file', () => {
    const settings = load(`
enable_webhooks_service: false
queue_polling_interval: 0.5
message_queue_name: "notices"
webhooks_auth_secret: ${SECRET}
base_url: https://learning.example.com/wire/
max_package_size: 500MB
max_request_body: 2048
log_level: WARN
target_allowed_networks: [10.1.2.3/8, "::1"]
custom_log_levels: { CourseService: DEBUG, AccountService: silent }
`);
    assert.equal(settings.enable_webhooks_service, false);
    assert.equal(settings.queue_polling_interval, 0.5);
    assert.equal(settings.message_queue_name, 'notices');
    assert.equal(settings.webhooks_auth_secret, SECRET);
    assert.equal(settings.base_url, 'https://learning.example.com/wire');
    assert.equal(settings.max_package_size, 500_000_000);
    assert.equal(settings.max_request_body, 2048);
    assert.equal(settings.log_level, 'warn');
    assert.deepEqual(settings.target_allowed_networks, ['10.0.0.0/8', '::1/128']);
    assert.deepEqual(settings.custom_log_levels, { CourseService: 'debug', AccountService: 'silent' });
  });

  it('are read from upper-case environment variables, which win over the file', () => {
    const settings = load('port: 1\nhost: 0.0.0.0\n', {
      PORT: '0',
      ENABLE_QUEUE_POLLING: 'false',
      RETRY_INITIAL_DELAY: '0.25',
      TARGET_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8',
      TRUSTED_PROXIES: '',
      CUSTOM_LOG_LEVELS: 'CourseService=debug, AccountService=warn',
      MAX_PACKAGE_SIZE: '1.5 GiB',
      WEBHOOKS_AUTH_SECRET: SECRET,
      port: '9',
      UNRELATED: 'x',
    });
    assert.equal(settings.port, 0);
    assert.equal(settings.host, '0.0.0.0');
    assert.equal(settings.enable_queue_polling, false);
    assert.equal(settings.retry_initial_delay, 0.25);
    assert.deepEqual(settings.target_allowed_networks, ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(settings.trusted_proxies, []);
    assert.deepEqual(settings.custom_log_levels, { CourseService: 'debug', AccountService: 'warn' });
    assert.equal(settings.max_package_size, 1_610_612_736);
    assert.equal(settings.webhooks_auth_secret, SECRET);
  });

  it('distinguish an empty list of networks from a missing one', () => {
    assert.deepEqual(load('target_allowed_networks: []').target_allowed_networks, []);
    assert.deepEqual(loadSettings({ env: { TARGET_ALLOWED_NETWORKS: '' } }).target_allowed_networks, []);
    assert.equal(load('target_allowed_networks: null').target_allowed_networks, null);
  });

  it('are frozen, including their members', () => {
    const settings = loadSettings({
      env: { CUSTOM_LOG_LEVELS: 'Database=info', TRUSTED_PROXIES: '10.0.0.1' },
    });
    for (const value of [settings, settings.custom_log_levels, settings.trusted_proxies]) {
      assert.ok(Object.isFrozen(value));
    }
  });
});

describe('wrong settings', () => {
  it('are all named at once, each with its source, its value and the allowed values', () => {
    const found = refused('port: http\nlog_level: loud\ncolour: blue\n', {
      ENABLE_WEBHOOKS_SERVICE: 'yes',
      DELIVERY_TIMEOUT: '0',
      WEBHOOKS_AUTH_SECRET: 'hunter2',
    });
    assert.deepEqual(found, [
      '"colour", from line 3 of FILE, is not a setting.',
      'port, from line 1 of FILE, is "http", which is text, not a number; ' +
        'it must be a whole number from 0 to 65535 (0: any free port).',
      'enable_webhooks_service, from the environment variable ENABLE_WEBHOOKS_SERVICE, is "yes"; ' +
        'it must be true or false.',
      'webhooks_auth_secret, from the environment variable WEBHOOKS_AUTH_SECRET, ' +
        'is 7 characters (hidden); it must be exactly 64 characters.',
      'delivery_timeout, from the environment variable DELIVERY_TIMEOUT, is "0"; ' +
        'it must be a number of seconds from 0.01 to 600 (10 minutes), fractions allowed.',
      'log_level, from line 2 of FILE, is "loud"; ' +
        'it must be trace, debug, info, warn, error, fatal or silent.',
    ]);
  });

  it('name Kubernetes as the cause if it has set the port because of a Service of that name', () => {
    for (const [name, variable] of [
      ['smtp_port', 'SMTP_PORT'],
      ['content_port', 'CONTENT_PORT'],
    ] as const)
      assert.deepEqual(refusedEnv({ [variable]: 'tcp://10.96.3.4:25' }), [
        `${name}, from the environment variable ${variable}, is "tcp://10.96.3.4:25", which Kubernetes sets for a Service of this ` +
          `name unless the pod has enableServiceLinks: false; it must be ${SETTINGS_TABLE[name].parser.allowed}.`,
      ]);
  });

  it('say that there is no port after the last one, which content_port is by default', () => {
    assert.deepEqual(refusedEnv({ PORT: '65535' }), [
      'content_port, from its default, is nothing, while port, from the environment variable PORT, is 65535; ' +
        'content_port must be set if port is 65535, because its default would be 65536.',
    ]);
    assert.match(
      refusedEnv({ PORT: '65535', CONTENT_PORT: '65535' })[0] ?? '',
      /must be different from port\.$/,
    );
    assert.equal(loadSettings({ env: { PORT: '65535', CONTENT_PORT: '65534' } }).port, 65_535);
  });

  it('count characters, of which an emoji is one', () => {
    assert.match(refused(`webhooks_auth_secret: "${'🚒'.repeat(63)}"`)[0] ?? '', /is 63 characters/);
    assert.equal(load(`webhooks_auth_secret: "${'🚒'.repeat(64)}"`).webhooks_auth_secret, '🚒'.repeat(64));
  });

  it('in the file are an error also where the environment wins', () => {
    assert.match(refused('port: -1', { PORT: '8080' })[0] ?? '', /^port, from line 1 of FILE, is -1;/);
  });

  it('with a misspelt name are reported with the name that was probably meant', () => {
    for (const [given, meant] of [
      ['enable_webhook_service', 'enable_webhooks_service'],
      ['logLevel', 'log_level'],
      ['DATA_DIR', 'data_dir'],
      ['queue-polling-interval', 'queue_polling_interval'],
      ['dead_leter_queue_name', 'dead_letter_queue_name'],
    ] as const) {
      assert.match(refused(`${given}: 1`)[0] ?? '', new RegExp(`Did you mean ${meant}\\?$`));
    }
    for (const given of ['colour', 'constructor', '__proto__', 'x'.repeat(900)]) {
      assert.match(refused(`${given}: 1`)[0] ?? '', /is not a setting\.$/);
    }
  });

  it('never show a secret, whatever is wrong with it', () => {
    for (const held of [
      SECRET.slice(1),
      `${SECRET}x`,
      `[${SECRET}]`,
      `{ ${SECRET}: 1 }`,
      `*${SECRET}`,
      `!${SECRET} x`,
      `"${SECRET}`,
      `&${SECRET} *${SECRET}`,
      `%${SECRET}`,
      `@${SECRET}`,
      `${SECRET}: ${SECRET}`,
    ]) {
      const found = refused(`webhooks_auth_secret: ${held}`);
      assert.ok(found.length > 0 && !found.join().includes('hunter2'), found.join('\n'));
    }
  });

  it('never show the password of a URL', () => {
    for (const name of ['base_url', 'sqs_endpoint', 'content_store_endpoint']) {
      for (const password of ['hunter2', 'hunter2/#', 'x@hunter2', 'hunter2 \\"', 'hunter2'.repeat(50)]) {
        const [problem = ''] = refused(`${name}: "https://ann:${password}@example.com/x"`);
        assert.match(problem, new RegExp(`^${name}, .* is "https://\\[hidden\\]@example.com/x"`));
      }
    }
    const [unknown = ''] = refused('"https://ann:hunter2@example.com": 1');
    assert.match(unknown, /^"https:\/\/\[hidden\]@example.com", .* is not a setting\.$/);
  });

  it('never show a secret that breaks a rule', () => {
    const found = refused(`webhooks_auth_secret: ${SECRET}\nwebhooks_auth_secret_previous: ${SECRET}`);
    assert.match(found[0] ?? '', /webhooks_auth_secret_previous must be different from webhooks_auth_secret/);
    assert.ok(!found.join().includes(SECRET), found.join());
  });

  it('say how a secret of digits must be written', () => {
    assert.match(
      refused(`webhooks_auth_secret: ${'1'.repeat(64)}`)[0] ?? '',
      /is a hidden value, which is a number and must be in quotes to be text;/,
    );
    assert.equal(load(`webhooks_auth_secret: "${'1'.repeat(64)}"`).webhooks_auth_secret, '1'.repeat(64));
  });

  it('include empty environment variables, except for lists and maps', () => {
    const lists = new Set(['trusted_proxies', 'target_allowed_networks', 'custom_log_levels']);
    for (const name of SETTING_NAMES) {
      const act = () => loadSettings({ env: { [name.toUpperCase()]: '' } });
      if (lists.has(name)) assert.doesNotThrow(act);
      else assert.match(problems(act)[0] ?? '', new RegExp(`^${name}, .* is (""|0 characters)`));
    }
  });

  it('include null in the file, except for defaults that are determined later', () => {
    const made = new Set([
      'base_url',
      'content_port',
      'content_base_url',
      'database_url',
      'content_store',
      'content_store_endpoint',
      'sqs_region',
      'sqs_endpoint',
      'webhooks_auth_secret',
      'webhooks_auth_secret_previous',
      'target_allowed_networks',
      'monitoring_token',
      'smtp_host',
      'smtp_user',
      'smtp_password',
      'smtp_from',
    ]);
    for (const name of SETTING_NAMES) {
      if (made.has(name)) assert.equal(load(`${name}:`)[name], null);
      else
        assert.match(refused(`${name}:`)[0] ?? '', new RegExp(`^${name}, from line 1 of FILE, is nothing`));
    }
  });

  it('name the item of a list or map that is wrong', () => {
    assert.match(
      refusedEnv({ TRUSTED_PROXIES: '10.0.0.1,10.0.0.0/33' })[0] ?? '',
      /which has an item that is not a network: "10\.0\.0\.0\/33"; it must be/,
    );
    assert.match(refused('trusted_proxies: [1]')[0] ?? '', /an item that is not a network: 1;/);
    assert.match(
      refused('trusted_proxies: [1, ::1, here]')[0] ?? '',
      /has items that are not networks: 1, "here";/,
    );
    assert.match(refused('trusted_proxies: 10.0.0.1')[0] ?? '', /is "10\.0\.0\.1", which is not a list;/);
    assert.match(
      refusedEnv({ CUSTOM_LOG_LEVELS: 'Service=info,Database=loud' })[0] ?? '',
      /which gives "Database" a value that is not allowed: "loud";/,
    );
    assert.match(
      refusedEnv({ CUSTOM_LOG_LEVELS: 'Service=info,Service=warn' })[0] ?? '',
      /which has "Service" twice;/,
    );
    assert.match(
      refusedEnv({ CUSTOM_LOG_LEVELS: 'Service' })[0] ?? '',
      /a value that is not allowed: nothing;/,
    );
    assert.match(
      refused('custom_log_levels: { __proto__: info }')[0] ?? '',
      /names a class that does not exist: "__proto__";/,
    );
    assert.match(refused('custom_log_levels: [A]')[0] ?? '', /which is not a map;/);
  });

  it('name every class that does not exist, also in another case, and the classes that do', () => {
    const [problem = ''] = refusedEnv({
      CUSTOM_LOG_LEVELS: 'accountservice=debug, Database=loud, Queue=info, CourseServise=info, Service=warn',
    });
    assert.match(
      problem,
      /which names classes that do not exist: "accountservice" \(did you mean AccountService\?\), "Queue", "CourseServise" \(did you mean CourseService\?\), and gives "Database" a value that is not allowed: "loud";/,
    );
    for (const name of Object.keys(LOG_CLASSES)) assert.ok(problem.includes(name), name);
    assert.match(
      refused('custom_log_levels: { databasE: info }')[0] ?? '',
      /names a class that does not exist: "databasE" \(did you mean Database\?\);/,
    );
  });

  it('include a first delay longer than the longest, wherever the two come from', () => {
    assert.deepEqual(refused('retry_max_delay: 2'), [
      'retry_initial_delay, from its default, is 5, while retry_max_delay, from line 1 of FILE, is 2; ' +
        'retry_initial_delay must be at most retry_max_delay.',
    ]);
    assert.equal(load('retry_max_delay: 5').retry_max_delay, 5);
  });

  it('include one name for both queues', () => {
    assert.match(
      refusedEnv({ MESSAGE_QUEUE_NAME: 'a', DEAD_LETTER_QUEUE_NAME: 'a' })[0] ?? '',
      /must be different from message_queue_name\.$/,
    );
  });
});
