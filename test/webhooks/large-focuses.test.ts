import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eachPage } from '../support/each-page.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { type Api, startTestService } from '../support/service.ts';
import { webhookInput } from './webhook-expectations.ts';

// Needs a process of its own: it measures stalls of the event loop.

const MAX_STALL_MS = 100;
const MAX_PAGE_BYTES = 2 * 1_024 * 1_024;
const WEBHOOKS = 8;

function largeFocus() {
  return Array.from({ length: 1_000 }, (_, n) => ({
    webhook_focus_type: 'ACCOUNT',
    webhook_focus_id: 1_000_000 + n,
    webhook_focus_name: 'é'.repeat(200),
  }));
}

async function listAll(api: Api): Promise<{ ids: number[]; largestPage: number; pages: number }> {
  const ids: number[] = [];
  let largestPage = 0;
  let pages = 0;
  for await (const body of eachPage((page) => api.get(page), '/webhooks?limit=200')) {
    ids.push(...body.data.map(({ id }: { id: number }) => id));
    largestPage = Math.max(largestPage, Buffer.byteLength(JSON.stringify(body)));
    pages += 1;
  }
  return { ids, largestPage, pages };
}

describe('webhooks with large focuses', () => {
  test('are listed in pages of limited size, each webhook once', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const created: number[] = [];
    for (let n = 0; n < WEBHOOKS; n++) {
      const focus = n === 1 ? [] : largeFocus();
      const subtopics = ['ACCOUNT_DELETED'];
      created.push((await api.create('/webhooks', webhookInput({ name: `w ${n}`, focus, subtopics }))).id);
    }
    let listed = { ids: [] as number[], largestPage: 0, pages: 0 };
    const stall = await longestStallDuring(async () => {
      listed = await listAll(api);
    });
    assert.deepEqual(listed.ids, created);
    assert.ok(listed.largestPage <= MAX_PAGE_BYTES, `a page has ${listed.largestPage} bytes`);
    assert.ok(listed.pages > 1 && listed.pages <= WEBHOOKS, `${listed.pages} pages`);
    assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
  });

  test('are rejected with a name of more than 200 characters, and with more than 1,000 entries', async () => {
    await using service = await startTestService();
    const [first] = largeFocus();
    const longName = { ...first, webhook_focus_name: 'n'.repeat(201) };
    const input = webhookInput({ subtopics: ['ACCOUNT_DELETED'], focus: [longName] });
    const refused = await service.api.post('/webhooks', input);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      { pointer: '/focus/0/webhook_focus_name', detail: 'must have at most 200 characters' },
    ]);
    const tooMany = [...largeFocus(), { ...first, webhook_focus_id: 1 }];
    assert.equal((await service.api.post('/webhooks', { ...input, focus: tooMany })).status, 400);
  });
});
