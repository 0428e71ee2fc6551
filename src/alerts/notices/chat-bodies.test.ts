import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { targetBody } from './chat-bodies.ts';
import type { NoticeContent } from './notice.ts';
import { noticeText } from './notice-text.ts';

const NOW = Date.UTC(2026, 10, 21);

/** A notice about twenty of these webhooks, of two thousand that are in trouble. */
function notice({ name, reason, explanation }: { name: string; reason: string; explanation: string }) {
  const content: NoticeContent = {
    kind: 'BEGAN',
    rule: { id: 1, name: 'Failing webhooks', condition: 'WEBHOOK_IN_ERROR', minutes: 15 },
    firings: Array.from({ length: 20 }, (_, at) => ({
      subject: `webhook:${at}`,
      name: `${name} ${at}`,
      webhookId: at,
      since: NOW,
      endedAt: null,
      endReason: null,
      details: { reason, explanation, failures: 12, waiting: 994 },
    })),
    total: 2_000,
    timeZone: 'UTC',
    repliesTo: [],
  };
  const text = noticeText(content, 'https://coursewire.example.com');
  return targetBody('TEAMS', { batch: 'a batch', content, createdAt: NOW }, text);
}

/** The lines of the card. */
function linesOf(body: string): string[] {
  const { attachments } = JSON.parse(body);
  return attachments[0].content.body.map(({ inlines }: { inlines: { text: string }[] }) => inlines[0]?.text);
}

describe('a notice for Teams', () => {
  it('shows all webhooks of a notice if their texts are short', () => {
    const lines = linesOf(
      notice({ name: 'CRM', reason: '403 Forbidden', explanation: 'API key crm was revoked' }),
    );
    assert.equal(lines.filter((line) => line.endsWith('is failing')).length, 20);
    assert.equal(lines.at(-2), 'And 1,980 more.');
  });

  it('is less than the 18 kB that Teams accepts, however long the texts, and counts what is not in it', () => {
    for (const long of ['名'.repeat(190), '\u0001'.repeat(190), 'x'.repeat(190)]) {
      const body = notice({ name: long, reason: long, explanation: long });
      assert.ok(Buffer.byteLength(body) <= 16_000, `${Buffer.byteLength(body)} bytes`);
      const lines = linesOf(body);
      const shown = lines.filter((line) => line.endsWith('is failing')).length;
      assert.ok(shown >= 1 && shown < 20, String(shown));
      assert.equal(lines.at(-2), `And ${(2_000 - shown).toLocaleString('en')} more.`);
    }
  });
});
