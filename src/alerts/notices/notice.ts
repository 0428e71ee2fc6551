import type { Firing } from '../firing.ts';
import type { AlertRule, Channel, Condition } from '../rules/alert-rule.ts';

/** What a notice says: that alerts began, that they ended, or that this is a test. */
export type NoticeKind = 'BEGAN' | 'ENDED' | 'TEST';

/** An alert in a notice. */
export type ReportedFiring = Pick<
  Firing,
  'subject' | 'name' | 'webhookId' | 'since' | 'endedAt' | 'endReason' | 'details'
>;

/** What a notice says, the same over every channel. */
export interface NoticeContent {
  kind: NoticeKind;
  rule: { id: number; name: string; condition: Condition; minutes: number | null };
  /** The first alerts, oldest problem first. */
  firings: readonly ReportedFiring[];
  /** The number of all alerts. */
  total: number;
  /** The time zone of the texts. */
  timeZone: string;
  /** The batches that this one replies to: e-mail programs show them as one conversation. */
  repliesTo: readonly string[];
  /** The addresses that are left, if others already got this e-mail. */
  onlyTo?: readonly string[];
  /** The addresses that were rejected for good in the meantime. */
  rejected?: readonly string[];
}

/** A notice over one channel. Times are in epoch milliseconds. */
export interface Notice {
  id: number;
  ruleId: number;
  /** An id that all attempts and channels share, so that the receiver can detect duplicates. */
  batch: string;
  kind: NoticeKind;
  channel: Channel;
  content: NoticeContent;
  createdAt: number;
  dueAt: number | null;
  attempts: number;
  sentAt: number | null;
  failedAt: number | null;
  error: string | null;
}

/** What a notice about alerts of a rule says. By default, it is about none, as in a test. */
export function noticeContent(
  kind: NoticeKind,
  { id, name, condition, minutes, quietHours }: AlertRule,
  about: Partial<Pick<NoticeContent, 'firings' | 'total' | 'repliesTo'>> = {},
): NoticeContent {
  const timeZone = quietHours?.timeZone ?? 'UTC';
  const rule = { id, name, condition, minutes };
  return { kind, rule, firings: [], total: 0, timeZone, repliesTo: [], ...about };
}
