import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabaseOf } from '../support/database.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { type Answer, type Api, startTestService, until } from '../support/service.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';

// Needs a process of its own: it measures stalls of the event loop.

const MAX_STALL_MS = 100;
const BODY_LENGTH = 1_048_000;
const MANY_WEBHOOKS = 3_000;
const MANY_DEAD_LETTERS = 30_000;

/** A value of `/metrics`. */
async function metric(api: Api, name: string): Promise<number> {
  const text = (await api.get('/metrics')).body as string;
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

describe('the event-loop watch', () => {
  test('shows a stall in the metrics and warns of a long one', async () => {
    await using service = await startTestService();
    const { api } = service;
    assert.ok((await metric(api, 'coursewire_event_loop_stalled_seconds_total')) >= 0);
    const end = performance.now() + 1_500;
    const { user } = process.threadCpuUsage();
    while (performance.now() < end || process.threadCpuUsage().user - user < 1_500_000);
    await until(
      async () => (await metric(api, 'coursewire_event_loop_longest_stall_seconds')) >= 1.4,
      'the stall is measured',
    );
    assert.ok((await metric(api, 'coursewire_event_loop_stalled_seconds_total')) >= 1.4);
    const within = await metric(api, 'coursewire_event_loop_busy_seconds_bucket\\{le="1"\\}');
    const looks = await metric(api, 'coursewire_event_loop_busy_seconds_count');
    assert.ok(looks > within, `the service's own work is measured: ${within} of ${looks} looks found less`);
    const [line] = service.logLines.filter(({ stall_ms }) => stall_ms !== undefined);
    assert.equal(line?.level, 'warn');
    assert.ok(line.stall_ms >= 1_400, `${line.stall_ms}`);
  });
});

function arrayOf(item: string): string {
  return `[${Array.from({ length: Math.floor(BODY_LENGTH / (item.length + 1)) }, () => item).join()}]`;
}

/** Requests that once stalled the service, each with the status that it gets. */
function attacks(
  api: Api,
  webhookId: number,
): Record<string, { status: number; call: () => Promise<Answer> }> {
  const post = (path: string, body: unknown, status = 400) => ({ status, call: () => api.post(path, body) });
  const focus = Array.from({ length: 1_000 }, (_, n) => ({
    webhook_focus_type: 'ACCOUNT',
    webhook_focus_id: n + 1,
    webhook_focus_name: 'n'.repeat(200),
  }));
  const large = webhookInput({ focus, subtopics: ['ACCOUNT_DELETED'] });
  return {
    'a focus of a million numbers': post('/webhooks', `{"focus":${arrayOf('1')}}`),
    'a focus of empty objects': post('/webhooks', `{"focus":${arrayOf('{}')}}`),
    'members without end': post('/accounts', `{${arrayOf('"a":1').slice(1, -1)}}`),
    'contents of empty objects': post('/bundles', `{"contents":${arrayOf('{}')}}`),
    'an array of arrays': post('/accounts', arrayOf('[[]]')),
    'a text of a megabyte': post('/accounts', { name: 'a'.repeat(BODY_LENGTH - 100) }),
    'escapes of a megabyte': post('/accounts', `{"name":"${'\\u0061'.repeat(170_000)}"}`),
    'the largest focus': post('/webhooks', large, 201),
    'the largest page of webhooks': { status: 200, call: () => api.get('/webhooks?limit=200') },
    'an event that thousands of webhooks match': post('/accounts', { name: 'a' }, 201),
    'dead letters to be sent again': post(
      `/webhooks/${webhookId}/deliveries/redeliver?limit=100`,
      undefined,
      202,
    ),
    'a history of very many': {
      status: 200,
      call: () => api.get(`/webhooks/${webhookId}/deliveries?limit=200`),
    },
  };
}

describe('the event loop under attack', () => {
  test('is never blocked for 100 ms', async (t) => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput({ subtopics: ['ACCOUNT_DELETED'] }));
    await using database = await openDatabaseOf(service.settings.data_dir);
    await database.transaction(async (tx) => {
      const ids = Array.from({ length: MANY_WEBHOOKS }, (_, n) => id + n + 1);
      await tx.insertMany(
        'webhooks',
        [
          ...['id', 'name', 'topic', 'all_subtopics', 'target_url', 'authentication_type', 'enabled'],
          ...['max_attempts', 'logging_mode', 'revision', 'created_at', 'updated_at'],
        ],
        ids.map((each) => [
          ...[each, `w ${each}`, 'ACCOUNT', 0, 'http://127.0.0.1:9/', 'NONE', 1, 10, 'NONE', 1, 0, 0],
        ]),
      );
      await tx.insertMany(
        'webhook_statistics',
        ['webhook_id', 'valid_from', 'success_count', 'error_count', 'in_error'],
        ids.map((each) => [each, 0, 0, 0, 0]),
      );
      await tx.insertMany(
        'webhook_triggers',
        ['subtopic', 'focus_type', 'focus_id', 'webhook_id', 'needs_content'],
        ids.map((each) => ['ACCOUNT_CREATED', 'ANY', 0, each, 0]),
      );
      await tx.insertMany(
        'deliveries',
        [
          ...['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at'],
          ...['attempts', 'attempted_at', 'duration_ms', 'response_status', 'resent'],
        ],
        Array.from({ length: MANY_DEAD_LETTERS }, (_, n) => [
          ...[id, `m-${n}`, 'ACCOUNT_DELETED', 'DEAD_LETTERED', '{}', 0, 0, 10, 0, 5, 503, 0],
        ]),
      );
      if (tx.dialect === 'postgres')
        await tx.all("select setval(pg_get_serial_sequence('webhooks', 'id'), ?)", id + MANY_WEBHOOKS);
    });
    const all = attacks(api, id);
    const perform = async (name: string) => {
      const { status, call } = all[name]!;
      const answer = await call();
      assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body).slice(0, 300)}`);
    };
    // Once before it is measured: code is compiled and statements are prepared when they are first needed.
    for (const name of Object.keys(all)) await perform(name);
    for (const name of Object.keys(all)) {
      await t.test(name, async () => {
        const stall = await longestStallDuring(() => perform(name));
        assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
      });
    }
  });
});
