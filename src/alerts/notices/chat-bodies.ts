import { wellFormed } from '../../http/json-body.ts';
import { shortened } from '../../observability/shortened.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { endReasonOf } from '../firing.ts';
import type { TargetFormat } from '../rules/alert-rule.ts';
import type { Notice } from './notice.ts';
import { moreOf, type NoticeText } from './notice-text.ts';

/** Slack accepts at most 50 blocks, 150 characters in a header and 3,000 in a section. */
const MAX_SLACK_ITEMS = 20;
const MAX_SLACK_HEADER = 150;
const MAX_SLACK_SECTION = 2_900;
/** Teams accepts about 28 KB with its own additions, and has rejected notices from 18 KB on. */
const MAX_TEAMS_BYTES = 16_000;

const JSON_TYPES = { BEGAN: 'alert.began', ENDED: 'alert.ended', TEST: 'alert.test' } as const;

/** A notice as it is posted to a URL. */
export function targetBody(
  format: TargetFormat,
  notice: Pick<Notice, 'batch' | 'content' | 'createdAt'>,
  text: NoticeText,
): string {
  if (format === 'TEAMS') return shortTeamsBody(notice.content.total, text);
  return jsonOf(format === 'SLACK' ? slackBody(text) : jsonBody(notice, text));
}

/** With as many alerts as Teams accepts. The others are counted. */
function shortTeamsBody(total: number, text: NoticeText): string {
  for (let shown = text.items.length; ; shown--) {
    const items = text.items.slice(0, shown);
    const body = jsonOf(teamsBody({ ...text, items, more: moreOf(total - shown) }));
    if (shown <= 1 || Buffer.byteLength(body) <= MAX_TEAMS_BYTES) return body;
  }
}

function jsonBody(
  { batch, content, createdAt }: Pick<Notice, 'batch' | 'content' | 'createdAt'>,
  text: NoticeText,
) {
  const { kind, rule, firings, total } = content;
  return {
    id: batch,
    type: JSON_TYPES[kind],
    timestamp: formatDateTime(createdAt),
    summary: text.title,
    link: text.link,
    alert: { id: rule.id, name: rule.name, condition: rule.condition, minutes: rule.minutes },
    total,
    firings: firings.map(({ subject, name, webhookId, since, endedAt, endReason, details }, at) => ({
      subject,
      name,
      webhook_id: webhookId,
      since_dt: formatDateTime(since),
      ended_dt: formatOptionalDateTime(endedAt),
      end_reason: endReasonOf({ endReason, details }),
      reason: details.reason,
      explanation: details.explanation,
      failures: details.failures,
      waiting: details.waiting,
      link: text.items[at]?.link ?? text.link,
    })),
  };
}

/**
 * Slack, "Reference: Layout blocks". All texts are plain text, so that names cannot contain markup. The fallback text
 * of notifications is always markup, so its control characters are escaped.
 */
function slackBody({ title, items, more, link, footer }: NoticeText) {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const section = (text: string) => ({ type: 'section', text: plain(shortened(text, MAX_SLACK_SECTION)) });
  return {
    text: escapeSlack(title),
    blocks: [
      { type: 'header', text: plain(shortened(title, MAX_SLACK_HEADER)) },
      ...items
        .slice(0, MAX_SLACK_ITEMS)
        .map(({ headline, facts }) =>
          section([headline, ...facts.map(([name, value]) => `${name}: ${value}`)].join('\n')),
        ),
      ...(more === null ? [] : [section(more)]),
      { type: 'actions', elements: [{ type: 'button', text: plain('Open Coursewire'), url: link }] },
      { type: 'context', elements: [plain(shortened(footer, MAX_SLACK_SECTION))] },
    ],
  };
}

/**
 * A message for a Teams workflow ("Post to a channel when a webhook request is received"): an adaptive card. Names are
 * text runs, because text blocks and facts interpret Markdown.
 */
function teamsBody({ title, items, more, link, footer }: NoticeText) {
  const line = (text: string, look: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...look }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          msteams: { width: 'Full' },
          fallbackText: title,
          body: [
            line(title, { weight: 'Bolder', size: 'Medium' }),
            ...items.flatMap(({ headline, facts }) => [
              line(headline, { weight: 'Bolder' }),
              ...facts.map(([name, value]) => line(`${name}: ${value}`)),
            ]),
            ...(more === null ? [] : [line(more)]),
            line(footer, { isSubtle: true, size: 'Small' }),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open Coursewire', url: link }],
        },
      },
    ],
  };
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Earlier releases stored explanations that may end in half of a character, which strict receivers reject. */
function jsonOf(body: object): string {
  return JSON.stringify(wellFormed(body));
}
