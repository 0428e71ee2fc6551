import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '../../http/json-body.ts';
import { responseExplanation } from '../../webhooks/health/response-explanation.ts';
import type { TargetFormat } from '../rules/alert-rule.ts';
import { targetBody } from './chat-bodies.ts';
import type { NoticeContent } from './notice.ts';
import { noticeText } from './notice-text.ts';

const NOW = Date.UTC(2026, 10, 21);

/** A notice about twenty of these webhooks, out of two thousand in error. */
function notice(
  { name, reason, explanation }: { name: string; reason: string; explanation: string | null },
  {
    format = 'TEAMS',
    shown = 20,
    total = 2_000,
  }: { format?: TargetFormat; shown?: number; total?: number } = {},
) {
  const content: NoticeContent = {
    kind: 'BEGAN',
    rule: { id: 1, name: 'Failing webhooks', condition: 'WEBHOOK_IN_ERROR', minutes: 15 },
    firings: Array.from({ length: shown }, (_, at) => ({
      subject: `webhook:${at}`,
      name: `${name} ${at}`,
      webhookId: at,
      since: NOW,
      endedAt: null,
      endReason: null,
      details: { reason, explanation, failures: 12, waiting: 994 },
    })),
    total,
    timeZone: 'UTC',
    repliesTo: [],
  };
  const text = noticeText(content, 'https://coursewire.example.com');
  return targetBody(format, { batch: 'a batch', content, createdAt: NOW }, text);
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

describe('a notice in any format', () => {
  const FORMATS: readonly TargetFormat[] = ['JSON', 'SLACK', 'TEAMS'];

  it('is valid JSON with whole characters, wherever its texts are shortened', () => {
    const letters = fc.constantFrom('a', 'é', '💥', '🚀 ', '𠮷');
    const text = fc.array(letters, { minLength: 60, maxLength: 200 }).map((each) => each.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...FORMATS), text, text, (format, name, said) => {
        const reason = '500 Internal Server Error';
        const explanation = responseExplanation({ status: 500, body: said, reason });
        const texts = { name, reason, explanation };
        const body = notice(texts, { format, shown: 1, total: 1 });
        // It refuses halves of characters, as other strict receivers do.
        parseJson(Buffer.from(body));
        assert.equal(body.includes('\ufffd'), false, 'nor is any replaced');
      }),
    );
  });

  it('is valid JSON even if an earlier release stored half of a character', () => {
    for (const format of FORMATS) {
      parseJson(Buffer.from(notice({ name: 'CRM', reason: '500', explanation: 'x\ud83d…' }, { format })));
    }
  });
});
