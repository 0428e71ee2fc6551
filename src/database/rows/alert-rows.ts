import type { Generated } from 'kysely';

/** Rows of alerts. */

/** What is watched, and who is notified. */
export interface AlertRuleRow {
  id: Generated<number>;
  name: string;
  enabled: number;
  condition: string;
  /** How long the condition must last; null for a condition that fires at once. */
  minutes: number | null;
  /** JSON array of ids; null for all webhooks. */
  webhook_ids: string | null;
  /** JSON array of addresses. */
  email_to: string;
  /** The format of the body that is posted to the URL; null if there is none. */
  target_format: string | null;
  /** The origin of the URL, which is not a secret. */
  target_origin: string | null;
  /** The URL, encrypted: it often contains a token. */
  target_url: string | null;
  /** `HH:MM` in the time zone; null without quiet hours. */
  quiet_from: string | null;
  quiet_to: string | null;
  quiet_time_zone: string | null;
  /** The time at which it was enabled. Earlier dead letters do not count. */
  active_since: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

/** A problem that a rule has detected. At most one of a rule and a subject is open. */
export interface AlertFiringRow {
  id: Generated<number>;
  rule_id: number;
  /** The name when the alert began, because the rule may be deleted. */
  rule_name: string;
  condition: string;
  /** The subject of the alert: `webhook:12`, `disk:host-a`. */
  subject: string;
  subject_name: string;
  webhook_id: number | null;
  /** When the problem itself began. */
  since: number;
  /** When the rule detected it. */
  began_at: number;
  /** When the problem ended, while the alert waits in case it returns; null while the problem lasts. */
  cleared_at: number | null;
  ended_at: number | null;
  /** Why it ended; null while it is open. */
  end_reason: string | null;
  /** How often the problem returned before the alert ended. */
  relapses: number;
  /** JSON: the known facts when it began. */
  details: string;
  /** The notices about its beginning; null if there are none. */
  begin_batch: string | null;
  /** The notices about its end; null if there are none yet, empty if none is needed. */
  end_batch: string | null;
}

/** What is sent over one channel. A batch has one row for each channel of the rule. */
export interface AlertNoticeRow {
  id: Generated<number>;
  rule_id: number;
  batch: string;
  kind: string;
  channel: string;
  /** JSON. */
  content: string;
  created_at: number;
  /** When it is sent next, or sent again if its sender died; null once it was sent or abandoned. */
  due_at: number | null;
  attempts: number;
  sent_at: number | null;
  /** When it was abandoned. */
  failed_at: number | null;
  /** Why the last attempt failed. A sent notice has one if some of its addresses were rejected. */
  error: string | null;
}

/** A check that fails on an instance. */
export interface AlertTroubleRow {
  instance: string;
  name: string;
  host_name: string;
  since: number;
  reason: string;
  seen_at: number;
}
