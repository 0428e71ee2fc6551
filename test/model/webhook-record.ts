import assert from 'node:assert/strict';
import { effectiveSubtopics, type WebhookConfiguration } from './webhook-model.ts';

/** Asserts that a webhook reads back as it was configured. */
export function assertRecord(
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  record: any,
  configuration: WebhookConfiguration,
): void {
  const { name, topic, targetUrl, enabled, maxAttempts, ignoreBefore, loggingMode, credentials } =
    configuration;
  assert.deepEqual(
    {
      name: record.name,
      topic: record.topic,
      subtopics: record.subtopics,
      all_subtopics: record.all_subtopics,
      focus: record.focus.map((each: Record<string, unknown>) => [
        each.webhook_focus_type,
        each.webhook_focus_id,
      ]),
      target_url: record.target_url,
      authentication: record.authentication,
      enabled: record.enabled,
      max_attempts: record.max_attempts,
      ignore_before_dt: record.ignore_before_dt,
      logging_mode: record.logging_mode,
      in_error: record.in_error,
    },
    {
      name,
      topic,
      subtopics: effectiveSubtopics(configuration),
      all_subtopics: configuration.subtopics === null,
      focus: configuration.focus.map(({ type, id }) => [type, id]),
      target_url: targetUrl,
      authentication: credentials === null ? { type: 'NONE' } : { type: 'BASIC', key: credentials.key },
      enabled,
      max_attempts: maxAttempts,
      ignore_before_dt: ignoreBefore === null ? null : new Date(ignoreBefore).toISOString(),
      logging_mode: loggingMode,
      in_error: false,
    },
  );
}
