import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestStallDuring } from '../../../test/support/event-loop.ts';
import type { Reader } from '../../database/database.ts';
import { WebhookTroubles } from './webhook-troubles.ts';

const WEBHOOKS = 1_000;
/** Time slices take 15 ms. */
const MAX_STALL_MS = 50;

test('others run while thousands of reasons are censored that may contain hostile URLs', async () => {
  const path = Array.from({ length: 180 }, (_, n) => `%4${n % 10}part${n}`).join('/');
  const rows = Array.from({ length: WEBHOOKS }, (_, n) => ({
    id: n + 1,
    name: `Webhook ${n}`,
    target_url: `https://target.example/${path}`,
    last_error_message: `Request to postback URL 'https://target.example/' failed for reason: 403 /${path}`,
    in_error: 1,
    failures_in_row: 1,
    waiting: 1,
    since: 1,
  }));
  const read = [rows, []];
  const reader = { all: async () => read.shift() } as unknown as Reader;
  let found: { reason: string | null }[] = [];
  const stall = await longestStallDuring(async () => {
    found = await new WebhookTroubles({ reader }).failing(2);
  });
  assert.equal(found.length, WEBHOOKS);
  assert.equal(found.at(-1)?.reason, '403 [censored]');
  assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
});
