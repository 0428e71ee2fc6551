import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { arrayOf, BODY_LENGTH } from '../support/large-bodies.ts';
import { connectTo } from '../support/raw-http.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Needs a process of its own: it measures stalls of the event loop.
// Runs on SQLite alone: the requests are refused before anything is stored.

const MAX_STALL_MS = 100;
/** Less than the service waits for a body. */
const MAX_WAIT_MS = 10_000;

/** As many members as a body can hold, none of them in a schema. */
function manyMembers(): string {
  const members: string[] = [];
  for (let n = 0, length = 0; length < BODY_LENGTH - 40; n++) {
    members.push(`"${n.toString(36)}":1`);
    length += members.at(-1)!.length + 1;
  }
  return `{${members.join()}}`;
}

const HOSTILE: readonly { name: string; path: string; body: () => string; pointers: RegExp | null }[] = [
  {
    name: 'a focus of numbers',
    path: '/webhooks',
    body: () => `{"focus":${arrayOf('1')}}`,
    pointers: /^\/(focus|name|topic|target_url)\b/,
  },
  {
    name: 'a focus of empty objects',
    path: '/webhooks',
    body: () => `{"focus":${arrayOf('{}')}}`,
    pointers: /^\/(focus|name|topic|target_url)\b/,
  },
  {
    name: 'a focus of many wrong members',
    path: '/webhooks',
    body: () => `{"focus":${arrayOf('{"a":1,"b":2,"c":3}')}}`,
    pointers: null,
  },
  {
    name: 'subtopics that repeat',
    path: '/webhooks',
    body: () => `{"name":"w","topic":"ACCOUNT","subtopics":${arrayOf('"ACCOUNT_DELETED"')}}`,
    pointers: /^\/(subtopics|target_url)\b/,
  },
  { name: 'members without end', path: '/accounts', body: manyMembers, pointers: null },
  { name: 'members without end in a webhook', path: '/webhooks', body: manyMembers, pointers: null },
  {
    name: 'contents of numbers',
    path: '/bundles',
    body: () => `{"contents":${arrayOf('1')}}`,
    pointers: /^\/(contents|name|folder_id)\b/,
  },
  {
    name: 'courses of empty objects',
    path: '/equivalents',
    body: () => `{"courses":${arrayOf('{}')}}`,
    pointers: /^\/(courses|name|folder_id)\b/,
  },
  { name: 'an array instead of an object', path: '/accounts', body: () => arrayOf('{}'), pointers: /^$/ },
];

describe('a request with a million errors', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  for (const { name, path, body, pointers } of HOSTILE) {
    test(`is rejected at once, naming at most a hundred errors: ${name}`, async () => {
      const text = body();
      // Validators are compiled when they are first needed.
      await service.api.post(path, {});
      let answer = { status: 0, body: { errors: [] as { pointer: string; detail: string }[] } };
      const stall = await longestStallDuring(async () => {
        answer = await service.api.post(path, text);
      });
      assert.equal(answer.status, 400);
      const { errors = [] } = answer.body;
      assert.ok(errors.length <= 100, `${errors.length} errors`);
      assert.equal(errors.length === 0, pointers === null);
      for (const { pointer } of errors) assert.match(pointer, pointers!);
      assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
    });
  }

  test('is rejected with the limit if a list is too long, otherwise with the invalid members of the list', async () => {
    const tooLong = Array.from({ length: 1_001 }, () => ({
      webhook_focus_type: 'ACCOUNT',
      webhook_focus_id: 1,
    }));
    const input = { name: 'w', topic: 'ACCOUNT', target_url: 'https://example.com/' };
    const refused = await service.api.post('/webhooks', { ...input, focus: tooLong });
    assert.deepEqual(refused.body.errors, [{ pointer: '/focus', detail: 'must have at most 1000 items' }]);
    const wrong = await service.api.post('/webhooks', {
      ...input,
      focus: [{ webhook_focus_type: 'X' }],
      other: 1,
    });
    assert.deepEqual(wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '/focus/0/webhook_focus_id',
      '/focus/0/webhook_focus_type',
      '/other',
    ]);
  });
});

describe('a request whose body nobody reads', () => {
  test('to an unknown path is answered before its body arrives', async () => {
    await using service = await startTestService();
    const { host } = new URL(service.url);
    const socket = connectTo(service.url);
    try {
      socket.write(
        `POST /nowhere HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
      );
      const [part] = await once(socket, 'data', { signal: AbortSignal.timeout(MAX_WAIT_MS) });
      assert.match(String(part), /^HTTP\/1\.1 404 /);
    } finally {
      socket.destroy();
    }
  });
});
