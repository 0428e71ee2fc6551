import {
  type AuditFields,
  changedFields,
  type FieldChange,
  secretChange,
} from '../../audit/field-changes.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import type { Webhook } from './webhook.ts';
import { toFocusRecord } from './webhook-records.ts';

/**
 * What changed in the configuration of a webhook, for the audit log. The values of the key for Basic authentication
 * are not recorded, because it is stored encrypted like the secret.
 * @param before null if it was created
 * @param after null if it was deleted
 * @param secretChanged whether the secret for Basic authentication was set, replaced or removed
 */
export function webhookChanges(
  before: Webhook | null,
  after: Webhook | null,
  secretChanged: boolean,
): FieldChange[] {
  return [
    ...changedFields(fieldsOf(before), fieldsOf(after)),
    ...(keyOf(before) === keyOf(after) ? [] : [secretChange('authentication.key')]),
    ...(secretChanged ? [secretChange('authentication.secret')] : []),
  ];
}

/** The configuration, as the API names it. If a webhook has all subtopics, they are not listed. */
function fieldsOf(webhook: Webhook | null): AuditFields | null {
  if (webhook === null) return null;
  const { authentication } = webhook;
  return {
    name: webhook.name,
    topic: webhook.topic,
    all_subtopics: webhook.allSubtopics,
    subtopics: webhook.allSubtopics ? [] : webhook.subtopics,
    focus: webhook.focus.map(toFocusRecord),
    target_url: webhook.targetUrl,
    'authentication.type': authentication.type,
    enabled: webhook.enabled,
    paused: webhook.paused,
    max_attempts: webhook.maxAttempts,
    ignore_before_dt: formatOptionalDateTime(webhook.ignoreBefore),
    logging_mode: webhook.loggingMode,
  };
}

function keyOf(webhook: Webhook | null): string | null {
  return webhook?.authentication.type === 'BASIC' ? webhook.authentication.key : null;
}
