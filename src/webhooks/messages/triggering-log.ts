import type { Subtopic, Topic } from '../../events/catalogue.ts';
import { TOPICS, topicOf } from '../../events/catalogue.ts';
import type { ServiceEvent } from '../../events/event.ts';
import type { LogFields, Logger, Logs } from '../../observability/log.ts';
import { TRIGGERING_CLASSES } from '../configuration/logging-mode.ts';

/** Maximum number of webhooks listed in a log line. */
const MAX_NAMED = 1_000;

const SENTENCES: Readonly<Record<Subtopic, string>> = {
  ACCOUNT_CREATED: 'an account was created',
  ACCOUNT_ACTIVATION_UPDATED: 'an account was activated or deactivated',
  ACCOUNT_DELETED: 'an account was deleted',
  CONTENT_ADDED_TO_ACCOUNT: 'content was added to an account',
  CONTENT_REMOVED_FROM_ACCOUNT: 'content was removed from an account',
  COURSE_IMPORTED: 'a course was imported',
  COURSE_VERSION_UPLOADED: 'a version of a course was uploaded',
  COURSE_VERSION_PUBLISHED: 'a version of a course was published',
  REGISTRATION_LAUNCHED: 'a registration was launched for the first time',
  REGISTRATION_STATUS_UPDATED: 'the completion, success or score of a registration changed',
};

/**
 * The log of events, written by the class that triggers them: the event at info, the webhooks that it triggered at
 * debug. Lines contain only ids. Names and e-mail addresses are in messages, which are logged as the logging modes of
 * webhooks require.
 */
export class TriggeringLog {
  readonly #logs: Readonly<Record<Topic, Logger>>;

  constructor(logs: Logs) {
    this.#logs = Object.fromEntries(
      TOPICS.map((topic) => [topic, logs.for(TRIGGERING_CLASSES[topic])]),
    ) as Record<Topic, Logger>;
  }

  /** Logs an event that was committed. */
  occurred(event: ServiceEvent): void {
    this.#logs[topicOf(event.subtopic)].info(sentenceOf(event), {
      event: event.subtopic,
      ...idsOf(event),
    });
  }

  /** Logs the webhooks that have a message of a committed event. */
  triggered(event: ServiceEvent, webhookIds: readonly number[]): void {
    const log = this.#logs[topicOf(event.subtopic)];
    if (!log.isEnabled('debug')) return;
    const count = webhookIds.length;
    log.debug(`${event.subtopic} triggered ${count === 1 ? '1 webhook' : `${count} webhooks`}`, {
      event: event.subtopic,
      ...idsOf(event),
      webhooks: count,
      webhook_ids: webhookIds.slice(0, MAX_NAMED),
    });
  }
}

function sentenceOf(event: ServiceEvent): string {
  if (event.subtopic !== 'ACCOUNT_ACTIVATION_UPDATED') return SENTENCES[event.subtopic];
  return event.resource.account.enabled ? 'an account was activated' : 'an account was deactivated';
}

function idsOf({ resource }: ServiceEvent): LogFields {
  return {
    ...('account' in resource ? { account_id: resource.account.id } : {}),
    ...('content' in resource ? contentIds(resource.content) : {}),
    ...('registration' in resource ? { registration_id: resource.registration.registration_id } : {}),
  };
}

function contentIds(content: {
  course?: { id: number; version_id: number };
  folder?: { contents: readonly { type: string; id: number }[] };
}): LogFields {
  if (content.folder !== undefined)
    return { content: content.folder.contents.map(({ type, id }) => ({ type, id })) };
  return content.course === undefined
    ? {}
    : { course_id: content.course.id, version_id: content.course.version_id };
}
