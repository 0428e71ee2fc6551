import type { UseFormReturnType } from '@mantine/form';
import { MAX_MINUTES } from '../../../../src/alerts/rules/alert-rule.ts';
import type { Alert, AlertConfiguration } from '../../api/alerts.ts';
import { nameFault } from '../../components/name-fault.ts';
import { alerts } from '../../texts/alerts.ts';

const DEFAULT_MINUTES = 15;
const { checks } = alerts.form;

/** The input of the form. */
export interface AlertDraft {
  name: string;
  enabled: boolean;
  condition: Alert['condition'];
  minutes: number | string;
  scope: 'all' | 'some';
  webhook_ids: number[];
  email_to: string[];
  format: 'NONE' | 'JSON' | 'SLACK' | 'TEAMS';
  url: string;
  quiet: boolean;
  from: string;
  to: string;
  time_zone: string;
}

/** The form, as its fields receive it. */
export type AlertFormState = UseFormReturnType<AlertDraft>;

/** The draft of a new alert. Its quiet hours are in the time zone of the browser. */
export function newDraft(): AlertDraft {
  return {
    name: '',
    enabled: true,
    condition: 'WEBHOOK_IN_ERROR',
    minutes: DEFAULT_MINUTES,
    scope: 'all',
    webhook_ids: [],
    email_to: [],
    format: 'NONE',
    url: '',
    quiet: false,
    from: '22:00',
    to: '07:00',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** The draft with which an edit starts. A stored URL is secret, so its field is empty. */
export function draftOf(alert: Alert): AlertDraft {
  const { name, enabled, condition, minutes, webhook_ids: ids, email_to, target, quiet_hours: quiet } = alert;
  return {
    ...newDraft(),
    name,
    enabled,
    condition,
    minutes: minutes ?? DEFAULT_MINUTES,
    scope: ids === null ? 'all' : 'some',
    webhook_ids: ids ?? [],
    email_to,
    format: target?.format ?? 'NONE',
    quiet: quiet !== null,
    ...(quiet === null ? {} : quiet),
  };
}

/** Whether the condition has a duration, and whether it concerns webhooks. */
export const hasMinutes = (condition: Alert['condition']) => condition !== 'MESSAGE_DEAD_LETTERED';
export const isAboutWebhooks = (condition: Alert['condition']) => condition !== 'SERVICE_IN_TROUBLE';

/** The alert to send. Without a URL, the stored one stays. */
export function configurationOf(draft: AlertDraft): AlertConfiguration {
  const { condition, format, url } = draft;
  return {
    name: draft.name.trim(),
    enabled: draft.enabled,
    condition,
    minutes: hasMinutes(condition) ? Number(draft.minutes) : null,
    webhook_ids: isAboutWebhooks(condition) && draft.scope === 'some' ? draft.webhook_ids : null,
    email_to: draft.email_to,
    target: format === 'NONE' ? null : { format, ...(url.trim() === '' ? {} : { url: url.trim() }) },
    quiet_hours: draft.quiet ? { from: draft.from, to: draft.to, time_zone: draft.time_zone } : null,
  };
}

/** Checks the form. @param hasUrl whether a URL is stored */
export function draftChecks(hasUrl: boolean) {
  return {
    name: (name: string) => nameFault(name, checks.name),
    minutes: (minutes: number | string, { condition }: AlertDraft) =>
      hasMinutes(condition) &&
      !(Number.isInteger(Number(minutes)) && Number(minutes) >= 1 && Number(minutes) <= MAX_MINUTES)
        ? checks.minutes
        : null,
    webhook_ids: (ids: number[], { condition, scope }: AlertDraft) =>
      isAboutWebhooks(condition) && scope === 'some' && ids.length === 0 ? checks.webhooks : null,
    email_to: (to: string[], { format }: AlertDraft) =>
      to.length === 0 && format === 'NONE' ? checks.email : null,
    url: (url: string, { format }: AlertDraft) =>
      format !== 'NONE' && url.trim() === '' && !hasUrl ? checks.url : null,
  };
}
