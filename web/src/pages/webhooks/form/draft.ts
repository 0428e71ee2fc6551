import {
  availableSubtopics,
  FOCUS_TYPES_OF_TOPIC,
  type FocusType,
  isExcludedByFocus,
  isFocusType,
  isSubtopic,
  isTopic,
  type Subtopic,
  subtopicsOf,
  type Topic,
} from '../../../../../src/events/catalogue.ts';
import type { WebhookConfiguration, WebhookRecord } from '../../../api/webhook-records.ts';

/** An asset that a webhook is focused on. */
export interface DraftFocus {
  type: FocusType;
  id: number;
  name: string | null;
}

/** The input without the secret, which is only kept in memory. */
export interface Draft {
  name: string;
  targetUrl: string;
  authentication: 'NONE' | 'BASIC';
  key: string;
  enabled: boolean;
  topic: Topic | null;
  /** All subtopics of the topic, except those that the focus excludes. */
  allSubtopics: boolean;
  /** The selected ones, including those that the focus excludes, so that they return if the focus is removed. */
  subtopics: Subtopic[];
  focus: DraftFocus[];
}

/** The key and target that a stored secret belongs to; null if none is stored. */
export type StoredKey = { key: string; targetUrl: string } | null;

export const STEPS = ['target', 'topic', 'events', 'focus', 'review'] as const;
export type Step = (typeof STEPS)[number];

export const emptyDraft: Draft = {
  name: '',
  targetUrl: '',
  authentication: 'NONE',
  key: '',
  enabled: true,
  topic: null,
  allSubtopics: true,
  subtopics: [],
  focus: [],
};

/** The draft with which an edit starts. */
export function draftOf(record: WebhookRecord): Draft {
  const { authentication } = record;
  return {
    name: record.name,
    targetUrl: record.target_url,
    authentication: authentication.type,
    key: authentication.type === 'BASIC' ? authentication.key : '',
    enabled: record.enabled,
    topic: record.topic,
    allSubtopics: record.all_subtopics,
    subtopics: record.subtopics,
    focus: record.focus.map((each) => ({
      type: each.webhook_focus_type,
      id: each.webhook_focus_id,
      name: each.webhook_focus_name,
    })),
  };
}

/** The key and target of a stored secret. */
export function storedKeyOf(record: WebhookRecord | null): StoredKey {
  return record?.authentication.type === 'BASIC'
    ? { key: record.authentication.key, targetUrl: record.target_url }
    : null;
}

export function focusTypesOf(draft: Draft): FocusType[] {
  return [...new Set(draft.focus.map(({ type }) => type))];
}

/** The selected subtopics that the focus allows. */
export function effectiveSubtopics(draft: Draft): Subtopic[] {
  if (draft.topic === null) return [];
  const available = availableSubtopics(draft.topic, focusTypesOf(draft));
  return draft.allSubtopics ? available : available.filter((each) => draft.subtopics.includes(each));
}

/** The subtopics that would be selected without the focus. */
export function excludedSubtopics(draft: Draft): Subtopic[] {
  if (draft.topic === null) return [];
  const types = focusTypesOf(draft);
  return subtopicsOf(draft.topic).filter(
    (each) => (draft.allSubtopics || draft.subtopics.includes(each)) && isExcludedByFocus(each, types),
  );
}

/** The draft with another topic: with that topic's subtopics, and the part of the focus that it allows. */
export function withTopic(draft: Draft, topic: Topic): Draft {
  if (draft.topic === topic) return draft;
  const allowed = FOCUS_TYPES_OF_TOPIC[topic];
  return {
    ...draft,
    topic,
    allSubtopics: true,
    // Selecting some events starts with all of them.
    subtopics: subtopicsOf(topic),
    focus: draft.focus.filter(({ type }) => allowed.includes(type)),
  };
}

/** The request to the service. Settings that only the API can change are copied from `present`. */
export function configurationOf(
  draft: Draft & { topic: Topic },
  secret: string,
  present: WebhookRecord | null,
): WebhookConfiguration {
  return {
    name: draft.name.trim(),
    topic: draft.topic,
    ...(draft.allSubtopics ? {} : { subtopics: effectiveSubtopics(draft) }),
    focus: draft.focus.map(({ type, id, name }) => ({
      webhook_focus_type: type,
      webhook_focus_id: id,
      webhook_focus_name: name,
    })),
    target_url: draft.targetUrl.trim(),
    authentication:
      draft.authentication === 'NONE'
        ? { type: 'NONE' }
        : { type: 'BASIC', key: draft.key, ...(secret === '' ? {} : { secret }) },
    enabled: draft.enabled,
    ...(present === null
      ? {}
      : {
          paused: present.paused,
          max_attempts: present.max_attempts,
          ignore_before_dt: present.ignore_before_dt,
          logging_mode: present.logging_mode,
        }),
  };
}

/** The step that an address names; null for any other text. */
export function stepOf(text: unknown): Step | null {
  return (STEPS as readonly unknown[]).includes(text) ? (text as Step) : null;
}

/** A draft that was stored as JSON; null if it is invalid, for example because it belongs to another version. */
export function readDraft(value: unknown): Draft | null {
  if (typeof value !== 'object' || value === null) return null;
  const { name, targetUrl, authentication, key, enabled, topic, allSubtopics, subtopics, focus } =
    value as Partial<Record<keyof Draft, unknown>>;
  if (typeof name !== 'string' || typeof targetUrl !== 'string' || typeof key !== 'string') return null;
  if (authentication !== 'NONE' && authentication !== 'BASIC') return null;
  if (typeof enabled !== 'boolean' || typeof allSubtopics !== 'boolean') return null;
  if (topic !== null && !isTopic(topic)) return null;
  if (!Array.isArray(subtopics) || !subtopics.every(isSubtopic)) return null;
  if (!Array.isArray(focus) || !focus.every(isDraftFocus)) return null;
  return { name, targetUrl, authentication, key, enabled, topic, allSubtopics, subtopics, focus };
}

function isDraftFocus(value: unknown): value is DraftFocus {
  if (typeof value !== 'object' || value === null) return false;
  const { type, id, name } = value as Partial<Record<keyof DraftFocus, unknown>>;
  return isFocusType(type) && Number.isSafeInteger(id) && (name === null || typeof name === 'string');
}
