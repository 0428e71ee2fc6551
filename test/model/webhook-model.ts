import type { AssetReference, ModelEvent } from './content-model.ts';
import { keyOf } from './content-model.ts';

/** The specification's rules for webhooks: which events they match, and their messages. */

export const TOPICS = {
  ACCOUNT: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
  ACCOUNT_CONTENT: ['CONTENT_ADDED_TO_ACCOUNT', 'CONTENT_REMOVED_FROM_ACCOUNT'],
  COURSE: ['COURSE_IMPORTED', 'COURSE_VERSION_UPLOADED', 'COURSE_VERSION_PUBLISHED'],
  REGISTRATION: ['REGISTRATION_LAUNCHED', 'REGISTRATION_STATUS_UPDATED'],
} as const;

export type Topic = keyof typeof TOPICS;

export type FocusReference = AssetReference | { type: 'ACCOUNT'; id: number };

export const LOGGING_MODES = {
  NONE: 'NONE',
  SUMMARY: 'SUMMARY',
  FULL: 'FULL',
  FULLONERROR: 'FULL_ON_ERROR',
} as const;

/** A webhook's configuration with all members. */
export interface WebhookConfiguration {
  name: string;
  topic: Topic;
  /** Null: all subtopics of the topic, except those that the focus excludes. */
  subtopics: string[] | null;
  focus: FocusReference[];
  targetUrl: string;
  credentials: { key: string; secret: string } | null;
  enabled: boolean;
  maxAttempts: number;
  /** Epoch milliseconds. */
  ignoreBefore: number | null;
  loggingMode: keyof typeof LOGGING_MODES;
}

/** Which kinds of assets a topic may be focused on. */
export const FOCUS_TYPES: Record<Topic, readonly FocusReference['type'][]> = {
  ACCOUNT: ['ACCOUNT'],
  ACCOUNT_CONTENT: ['ACCOUNT', 'COURSE', 'EQUIVALENT', 'BUNDLE', 'FOLDER'],
  COURSE: ['COURSE'],
  REGISTRATION: ['ACCOUNT', 'COURSE', 'EQUIVALENT', 'BUNDLE', 'FOLDER'],
};

/** The subtopic that a focus excludes, by topic. */
export const EXCLUDED: Partial<Record<Topic, string>> = {
  ACCOUNT: 'ACCOUNT_CREATED',
  COURSE: 'COURSE_IMPORTED',
};

export function effectiveSubtopics({ topic, subtopics, focus }: WebhookConfiguration): string[] {
  const all: readonly string[] = TOPICS[topic];
  const listed = subtopics ?? all.filter((each) => focus.length === 0 || each !== EXCLUDED[topic]);
  return all.filter((each) => listed.includes(each));
}

/** Whether an event creates a message for a webhook. */
export function matches(configuration: WebhookConfiguration, event: ModelEvent): boolean {
  const { topic, focus, enabled } = configuration;
  if (!enabled || topic !== event.topic) return false;
  if (!effectiveSubtopics(configuration).includes(event.subtopic)) return false;
  const accounts = focus.filter(({ type }) => type === 'ACCOUNT');
  const assets = focus.filter((each): each is AssetReference => each.type !== 'ACCOUNT');
  return (
    (accounts.length === 0 || accounts.some(({ id }) => id === event.accountId)) &&
    (assets.length === 0 || assets.some((each) => event.assets.has(keyOf(each))))
  );
}

/** The message of an event, byte for byte except for its timestamp, which is inserted later. */
export function messageOf(
  webhookId: number,
  { name, topic, targetUrl, loggingMode, maxAttempts }: WebhookConfiguration,
  { subtopic, resource, user }: ModelEvent,
): (timestamp: string) => string {
  return (timestamp) =>
    JSON.stringify({
      subscription_id: webhookId,
      name,
      topic,
      subtopic,
      resource,
      user,
      timestamp,
      target_url: targetUrl,
      logging_mode: LOGGING_MODES[loggingMode],
      max_attempts: maxAttempts,
    });
}

/** The configuration as the API accepts it; members with their default are omitted if `brief`. */
export function payloadOf(
  configuration: WebhookConfiguration,
  { brief }: { brief: boolean },
): Record<string, unknown> {
  const { name, topic, subtopics, focus, targetUrl, credentials, enabled, maxAttempts } = configuration;
  const { ignoreBefore, loggingMode } = configuration;
  return {
    name,
    topic,
    ...(subtopics === null ? {} : { subtopics }),
    ...(brief && focus.length === 0
      ? {}
      : { focus: focus.map(({ type, id }) => ({ webhook_focus_type: type, webhook_focus_id: id })) }),
    target_url: targetUrl,
    ...(credentials === null
      ? brief
        ? {}
        : { authentication: { type: 'NONE' } }
      : { authentication: { type: 'BASIC', ...credentials } }),
    ...(brief && enabled ? {} : { enabled }),
    ...(brief && maxAttempts === 10 ? {} : { max_attempts: maxAttempts }),
    ...(ignoreBefore === null ? {} : { ignore_before_dt: new Date(ignoreBefore).toISOString() }),
    ...(brief && loggingMode === 'FULLONERROR' ? {} : { logging_mode: loggingMode }),
  };
}
