import type { Subtopic } from '../../../../../src/events/catalogue.ts';
import type { MessageLoggingMode } from '../../../../../src/webhooks/configuration/logging-mode.ts';
import { SAMPLE_RESOURCES } from '../../../../../src/webhooks/messages/sample-events.ts';
import type { ApiOnlySettings } from '../api-only-facts.tsx';
import type { Draft } from './draft.ts';

/** The `subscription_id` before a webhook is created, as in a test message. */
const NO_ID = 0;

/** The message that a test of this draft sends, with the members in their order. */
export function exampleMessage(
  draft: Draft,
  subtopic: Subtopic,
  {
    id,
    user,
    timestamp,
    apiOnly,
  }: { id: number | undefined; user: string; timestamp: string; apiOnly: ApiOnlySettings },
) {
  return {
    subscription_id: id ?? NO_ID,
    name: draft.name.trim(),
    topic: draft.topic,
    subtopic,
    resource: SAMPLE_RESOURCES[subtopic],
    user,
    timestamp,
    target_url: draft.targetUrl.trim(),
    logging_mode: LOGGING_MODES[apiOnly.logging_mode] ?? apiOnly.logging_mode,
    max_attempts: apiOnly.max_attempts,
  };
}

/** Messages spell this one differently. */
const LOGGING_MODES: Readonly<Record<string, MessageLoggingMode>> = { FULLONERROR: 'FULL_ON_ERROR' };
