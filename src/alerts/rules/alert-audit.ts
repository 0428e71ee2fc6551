import {
  type AuditFields,
  changedFields,
  type FieldChange,
  secretChange,
} from '../../audit/field-changes.ts';
import type { AlertRule } from './alert-rule.ts';

/**
 * The members of an alert rule that differ, for the audit log. The URL has no value, as it often contains a token.
 * @param urlChanged whether the URL was set, replaced or removed
 */
export function alertChanges(
  before: AlertRule | null,
  after: AlertRule | null,
  urlChanged: boolean,
): FieldChange[] {
  const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
  return urlChanged ? [...changes, secretChange('target.url')] : changes;
}

function fieldsOf(rule: AlertRule): AuditFields {
  const { name, enabled, condition, minutes, webhookIds, emailTo, target, quietHours } = rule;
  return {
    name,
    enabled,
    condition,
    minutes,
    webhook_ids: webhookIds,
    email_to: emailTo,
    'target.format': target?.format ?? null,
    'quiet_hours.from': quietHours?.from ?? null,
    'quiet_hours.to': quietHours?.to ?? null,
    'quiet_hours.time_zone': quietHours?.timeZone ?? null,
  };
}
