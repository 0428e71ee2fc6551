import {
  availableSubtopics,
  FOCUS_TYPES_OF_TOPIC,
  type FocusType,
  isExcludedByFocus,
  type Subtopic,
  subtopicsOf,
  type Topic,
  topicOf,
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

/** The draft of a new webhook. */
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
    focus: focusOf(record),
  };
}

/** The focus of a webhook. */
export function focusOf({ focus }: Pick<WebhookRecord, 'focus'>): DraftFocus[] {
  return focus.map((each) => ({
    type: each.webhook_focus_type,
    id: each.webhook_focus_id,
    name: each.webhook_focus_name,
  }));
}

/** The key and target of a stored secret. */
export function storedKeyOf(record: WebhookRecord | null): StoredKey {
  return record?.authentication.type === 'BASIC'
    ? { key: record.authentication.key, targetUrl: record.target_url }
    : null;
}

/** The types of the focus, each once. */
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

/** The event whose message is shown: the chosen one, or the first that is sent. */
export function shownSubtopic(draft: Draft, chosen: Subtopic | null): Subtopic | null {
  const { topic } = draft;
  if (topic === null) return null;
  if (chosen !== null && topicOf(chosen) === topic) return chosen;
  return effectiveSubtopics(draft)[0] ?? subtopicsOf(topic)[0] ?? null;
}

/** The draft with another topic: with that topic's subtopics, and the part of the focus that it allows. */
export function withTopic(draft: Draft, topic: Topic): Draft {
  if (draft.topic === topic) return draft;
  const allowed = FOCUS_TYPES_OF_TOPIC[topic];
  return {
    ...draft,
    topic,
    allSubtopics: true,
    subtopics: subtopicsOf(topic),
    focus: draft.focus.filter(({ type }) => allowed.includes(type)),
  };
}

/** The draft with this event of the topic selected, or not. It is an explicit selection from then on. */
export function withSubtopic(draft: Draft, subtopic: Subtopic, selected: boolean): Draft {
  if (draft.topic === null) return draft;
  const all = subtopicsOf(draft.topic);
  const before = draft.allSubtopics ? all : draft.subtopics;
  return {
    ...draft,
    allSubtopics: false,
    subtopics: all.filter((each) => (each === subtopic ? selected : before.includes(each))),
  };
}

/** The draft with all events of the topic, including those of later versions, or with an explicit selection of each. */
export function withAllSubtopics(draft: Draft, all: boolean): Draft {
  return { ...draft, allSubtopics: all, subtopics: draft.topic === null ? [] : subtopicsOf(draft.topic) };
}

/** The request to the service. Settings that only the API can change are copied from `current`. */
export function configurationOf(
  draft: Draft & { topic: Topic },
  secret: string,
  current: WebhookRecord | null,
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
    ...(current === null
      ? {}
      : {
          paused: current.paused,
          max_attempts: current.max_attempts,
          ignore_before_dt: current.ignore_before_dt,
          logging_mode: current.logging_mode,
        }),
  };
}
