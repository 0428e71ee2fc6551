import { formatDateTime, formatOptionalDateTime } from '../time/date-time.ts';
import { endReasonOf, type Firing } from './firing.ts';
import type { FiringRecord } from './firings/firing-schemas.ts';
import { partOfService } from './firings/trouble-finder.ts';
import type { Notice } from './notices/notice.ts';
import type { AlertRule } from './rules/alert-rule.ts';
import type { AlertRecord, NoticeRecord } from './rules/alert-schemas.ts';
import { isQuietAt } from './rules/quiet-hours.ts';

/** A rule as the API returns it. */
export function toAlertRecord(
  rule: AlertRule,
  { firing, notices, now }: { firing: number; notices: readonly Notice[]; now: number },
): AlertRecord {
  const { target, quietHours: quiet } = rule;
  return {
    id: rule.id,
    name: rule.name,
    enabled: rule.enabled,
    condition: rule.condition,
    minutes: rule.minutes,
    webhook_ids: rule.webhookIds === null ? null : [...rule.webhookIds],
    email_to: [...rule.emailTo],
    target: target === null ? null : { format: target.format, origin: target.origin },
    quiet_hours: quiet === null ? null : { from: quiet.from, to: quiet.to, time_zone: quiet.timeZone },
    quiet_now: isQuietAt(quiet, now),
    firing,
    last_notices: notices.map(toNoticeRecord),
    created_dt: formatDateTime(rule.createdAt),
    updated_dt: formatDateTime(rule.updatedAt),
  };
}

/**
 * A firing as the API returns it, with the notices about it.
 * @param options.showsInside whether the reader may see hosts of the installation, and why a part of it fails
 */
export function toFiringRecord(
  firing: Firing,
  { notices, showsInside }: { notices: readonly Notice[]; showsInside: boolean },
): FiringRecord {
  const isHidden = firing.condition === 'SERVICE_IN_TROUBLE' && !showsInside;
  return {
    id: firing.id,
    alert_id: firing.ruleId,
    alert_name: firing.ruleName,
    condition: firing.condition,
    state: firing.endedAt === null ? 'FIRING' : 'ENDED',
    name: isHidden ? partOfService(firing) : firing.name,
    webhook_id: firing.webhookId,
    since_dt: formatDateTime(firing.since),
    began_dt: formatDateTime(firing.beganAt),
    cleared_dt: formatOptionalDateTime(firing.clearedAt),
    ended_dt: formatOptionalDateTime(firing.endedAt),
    end_reason: endReasonOf(firing),
    relapses: firing.relapses,
    reason: isHidden ? null : firing.details.reason,
    explanation: firing.details.explanation,
    failures: firing.details.failures,
    waiting: firing.details.waiting,
    notices: notices
      .filter(({ batch }) => batch === firing.beginBatch || batch === firing.endBatch)
      .map(toNoticeRecord),
  };
}

function toNoticeRecord(notice: Notice): NoticeRecord {
  return {
    kind: notice.kind === 'ENDED' ? 'ENDED' : 'BEGAN',
    channel: notice.channel,
    state: notice.sentAt !== null ? 'SENT' : notice.failedAt !== null ? 'FAILED' : 'WAITING',
    attempts: notice.attempts,
    created_dt: formatDateTime(notice.createdAt),
    sent_dt: formatOptionalDateTime(notice.sentAt),
    next_attempt_dt: formatOptionalDateTime(notice.dueAt),
    error: notice.error,
  };
}
