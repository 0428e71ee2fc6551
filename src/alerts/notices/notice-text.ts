import { shortened } from '../../observability/shortened.ts';
import { type EndReason, endReasonOf } from '../firing.ts';
import type { Condition } from '../rules/alert-rule.ts';
import { isTimeZone } from '../rules/quiet-hours.ts';
import type { NoticeContent, ReportedFiring } from './notice.ts';

const MAX_NAMED_IN_TITLE = 3;
const MAX_TITLE_CHARACTERS = 200;
const PRODUCT = 'Coursewire';

/** A fact about an alert: a name and a value. */
export type Fact = readonly [name: string, value: string];

/** A notice in words. Names and reasons in it are other people's texts. */
export interface NoticeText {
  /** One line: what is in trouble, since when and why. */
  title: string;
  /** The alerts, each with a headline and facts. */
  items: readonly { headline: string; facts: readonly Fact[]; link: string }[];
  /** How many further alerts there are; null if none. */
  more: string | null;
  /** Where to look first. */
  link: string;
  /** The rule, and where it can be changed. */
  footer: string;
  ruleLink: string;
}

/** The problem in words: while it lasts, with its duration, and after its end. */
const HAPPENINGS: Readonly<Record<Condition, { since: string; now: string; over: string }>> = {
  WEBHOOK_IN_ERROR: {
    since: 'has been failing since',
    now: 'is failing',
    over: 'is no longer failing',
  },
  LINE_TOO_OLD: {
    since: 'has had messages waiting since',
    now: 'has old messages waiting',
    over: 'no longer has old messages waiting',
  },
  MESSAGE_DEAD_LETTERED: {
    since: 'has had new dead letters since',
    now: 'has new dead letters',
    over: 'no longer has new dead letters',
  },
  SERVICE_IN_TROUBLE: { since: 'has been failing since', now: 'is failing', over: 'works again' },
};

const WHY_IT_ENDED: Readonly<Record<EndReason, string>> = {
  RESOLVED: '',
  NO_LONGER_REPORTED: 'its instance was stopped or cannot report',
  PAUSED: 'someone paused it',
  DEACTIVATED: 'someone deactivated it',
  DELETED: 'someone deleted it',
  RULE_CHANGED: 'the alert rule was changed',
  RULE_DELETED: 'the alert rule was deleted',
};

/**
 * Puts a notice into words.
 * @param baseUrl without a trailing slash; links start with it
 */
export function noticeText(content: NoticeContent, baseUrl: string): NoticeText {
  const { kind, rule, firings, total, timeZone } = content;
  const time = timeWriter(timeZone);
  const ruleLink = `${baseUrl}/ui/administration/alerts/${rule.id}`;
  const links = firings.map((firing) => linkTo(firing, baseUrl));
  const first = links.length === 1 && total === 1 ? links[0] : undefined;
  return {
    title: clipped(kind === 'TEST' ? `Test of the alert "${rule.name}"` : titleOf(content, time)),
    items: firings.map((firing, at) => ({
      headline: headlineOf(firing, rule.condition),
      facts: factsOf(firing, rule.condition, time),
      link: links[at] ?? ruleLink,
    })),
    more: moreOf(total - firings.length),
    link: kind === 'TEST' ? ruleLink : (first ?? ruleLink),
    footer:
      kind === 'TEST'
        ? 'This is a test. Nothing is wrong.'
        : `Sent by the alert "${rule.name}"${rule.minutes === null ? '' : ` (after ${rule.minutes} min)`}.`,
    ruleLink,
  };
}

/** How many further alerts there are; null if none. */
export function moreOf(count: number): string | null {
  return count > 0 ? `And ${count.toLocaleString('en')} more.` : null;
}

/** The text as the body of an e-mail. */
export function plainBody({ title, items, more, link, footer, ruleLink }: NoticeText): string {
  const blocks = items.map(({ headline, facts, link: to }) =>
    [headline, ...facts.map(([name, value]) => `  ${name}: ${value}`), `  ${to}`].join('\n'),
  );
  const parts = [title, ...blocks, ...(more === null ? [] : [more])];
  if (items.length === 0) parts.push(link);
  return `${[...parts, `-- \n${footer}\n${ruleLink}`].join('\n\n')}\n`;
}

function titleOf({ kind, rule, firings, total }: NoticeContent, time: (at: number) => string): string {
  const [first] = firings;
  const prefix = kind === 'ENDED' ? 'Ended: ' : '';
  if (first === undefined || total > 1) {
    const names = firings.slice(0, MAX_NAMED_IN_TITLE).map(nameOf).join(', ');
    const more =
      total > MAX_NAMED_IN_TITLE ? ` and ${(total - MAX_NAMED_IN_TITLE).toLocaleString('en')} more` : '';
    const happened = rule.condition === 'SERVICE_IN_TROUBLE' ? 'troubles' : 'webhooks in trouble';
    return `${prefix}${total} ${happened}: ${names}${more}`;
  }
  if (kind === 'ENDED') {
    const why = WHY_IT_ENDED[endReasonOf(first) ?? 'RESOLVED'];
    return `${prefix}${nameOf(first)} ${overOf(first, rule.condition)}${why === '' ? '' : `: ${why}`}`;
  }
  return `${nameOf(first)} ${HAPPENINGS[rule.condition].since} ${time(first.since)}${reasonOf(first, ': ')}`;
}

function headlineOf(firing: ReportedFiring, condition: Condition): string {
  const happening = firing.endedAt === null ? HAPPENINGS[condition].now : overOf(firing, condition);
  return `${nameOf(firing)} ${happening}`;
}

/** What can be said of an alert that has ended. Nobody knows whether a problem is over that is no longer reported. */
function overOf(firing: ReportedFiring, condition: Condition): string {
  const isKnown = endReasonOf(firing) !== 'NO_LONGER_REPORTED';
  return isKnown ? HAPPENINGS[condition].over : 'is no longer reported as failing';
}

function factsOf(firing: ReportedFiring, condition: Condition, time: (at: number) => string): Fact[] {
  const { details, since, endedAt } = firing;
  const why = WHY_IT_ENDED[endReasonOf(firing) ?? 'RESOLVED'];
  const facts: Fact[] = [['Since', time(since)]];
  if (endedAt !== null) facts.push(['Until', `${time(endedAt)}${why === '' ? '' : ` (${why})`}`]);
  if (details.reason !== null) facts.push(['Reason', reasonOf(firing, '')]);
  if (details.failures > 0 && endedAt === null)
    facts.push(['Failed attempts', details.failures.toLocaleString('en')]);
  if (condition !== 'SERVICE_IN_TROUBLE' && endedAt === null)
    facts.push(['Messages waiting', details.waiting.toLocaleString('en')]);
  return facts;
}

function nameOf({ name, webhookId }: ReportedFiring): string {
  return webhookId === null ? name : `Webhook "${name}"`;
}

function reasonOf({ details: { reason, explanation } }: ReportedFiring, before: string): string {
  if (reason === null) return '';
  return `${before}${reason}${explanation === null ? '' : `: ${explanation}`}`;
}

function linkTo({ webhookId }: ReportedFiring, baseUrl: string): string {
  return webhookId === null
    ? `${baseUrl}/ui/administration/system`
    : `${baseUrl}/ui/administration/integrations/webhooks/${webhookId}`;
}

/** Writes times with their zone, such as `23 Nov 2026, 02:15 UTC`. UTC replaces a zone that this Node.js does not know. */
function timeWriter(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  return (at) => format.format(at);
}

function clipped(title: string): string {
  return shortened(`[${PRODUCT}] ${title}`, MAX_TITLE_CHARACTERS);
}
