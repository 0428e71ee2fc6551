/** Topics, their subtopics and their focus rules, as data. */

/** The topics of webhooks. */
export const TOPICS = ['ACCOUNT', 'ACCOUNT_CONTENT', 'COURSE', 'REGISTRATION'] as const;
export type Topic = (typeof TOPICS)[number];

/** The types of content. */
export const CONTENT_TYPES = ['COURSE', 'EQUIVALENT', 'BUNDLE', 'FOLDER'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** The types of content that accounts, events and messages are about: all but folders. */
export const ASSET_TYPES = ['COURSE', 'EQUIVALENT', 'BUNDLE'] as const satisfies readonly ContentType[];
export type AssetType = (typeof ASSET_TYPES)[number];

/** The types of assets that a focus may name. */
export const FOCUS_TYPES = ['ACCOUNT', ...CONTENT_TYPES] as const;
export type FocusType = (typeof FOCUS_TYPES)[number];

/** All subtopics, in the order of the documentation. */
export const SUBTOPICS = [
  'ACCOUNT_CREATED',
  'ACCOUNT_ACTIVATION_UPDATED',
  'ACCOUNT_DELETED',
  'CONTENT_ADDED_TO_ACCOUNT',
  'CONTENT_REMOVED_FROM_ACCOUNT',
  'COURSE_IMPORTED',
  'COURSE_VERSION_UPLOADED',
  'COURSE_VERSION_PUBLISHED',
  'REGISTRATION_LAUNCHED',
  'REGISTRATION_STATUS_UPDATED',
] as const;
export type Subtopic = (typeof SUBTOPICS)[number];

interface SubtopicRule {
  topic: Topic;
  /** When it occurs, in words. */
  occursWhen: string;
  /** A focus of this type makes the subtopic unavailable: a focus cannot name something that the event only creates. */
  excludedByFocus: FocusType | null;
}

/** The properties of each subtopic. */
export const SUBTOPIC_RULES: Readonly<Record<Subtopic, SubtopicRule>> = {
  ACCOUNT_CREATED: { topic: 'ACCOUNT', occursWhen: 'a new account is created', excludedByFocus: 'ACCOUNT' },
  ACCOUNT_ACTIVATION_UPDATED: {
    topic: 'ACCOUNT',
    occursWhen: "an account's activation status changes",
    excludedByFocus: null,
  },
  ACCOUNT_DELETED: { topic: 'ACCOUNT', occursWhen: 'an account is deleted', excludedByFocus: null },
  CONTENT_ADDED_TO_ACCOUNT: {
    topic: 'ACCOUNT_CONTENT',
    occursWhen: 'a course, equivalent or bundle is added to an account',
    excludedByFocus: null,
  },
  CONTENT_REMOVED_FROM_ACCOUNT: {
    topic: 'ACCOUNT_CONTENT',
    occursWhen: 'a course, equivalent or bundle is removed from an account',
    excludedByFocus: null,
  },
  COURSE_IMPORTED: {
    topic: 'COURSE',
    occursWhen: 'a new course is imported',
    excludedByFocus: 'COURSE',
  },
  COURSE_VERSION_UPLOADED: {
    topic: 'COURSE',
    occursWhen: 'a new version of a course is uploaded',
    excludedByFocus: null,
  },
  COURSE_VERSION_PUBLISHED: {
    topic: 'COURSE',
    occursWhen: 'a course version is published',
    excludedByFocus: null,
  },
  REGISTRATION_LAUNCHED: {
    topic: 'REGISTRATION',
    occursWhen: 'the first launch link of a registration is requested',
    excludedByFocus: null,
  },
  REGISTRATION_STATUS_UPDATED: {
    topic: 'REGISTRATION',
    occursWhen: 'completion, success or score of a registration is updated',
    excludedByFocus: null,
  },
};

/** The focus types that a webhook of a topic may have. */
export const FOCUS_TYPES_OF_TOPIC: Readonly<Record<Topic, readonly FocusType[]>> = {
  ACCOUNT: ['ACCOUNT'],
  ACCOUNT_CONTENT: FOCUS_TYPES,
  COURSE: ['COURSE'],
  REGISTRATION: FOCUS_TYPES,
};

/** The topic of a subtopic. */
export function topicOf(subtopic: Subtopic): Topic {
  return SUBTOPIC_RULES[subtopic].topic;
}

/** All subtopics of a topic, in the catalogue's order. */
export function subtopicsOf(topic: Topic): Subtopic[] {
  return SUBTOPICS.filter((subtopic) => SUBTOPIC_RULES[subtopic].topic === topic);
}

/** Whether a focus on assets of these types makes the subtopic unavailable. */
export function isExcludedByFocus(subtopic: Subtopic, focusTypes: Iterable<FocusType>): boolean {
  const excludedBy = SUBTOPIC_RULES[subtopic].excludedByFocus;
  if (excludedBy === null) return false;
  for (const type of focusTypes) if (type === excludedBy) return true;
  return false;
}

/** The subtopics that a webhook of a topic may have under a focus on assets of these types. */
export function availableSubtopics(topic: Topic, focusTypes: readonly FocusType[]): Subtopic[] {
  return subtopicsOf(topic).filter((subtopic) => !isExcludedByFocus(subtopic, focusTypes));
}

/** Whether a value names a topic. */
export function isTopic(value: unknown): value is Topic {
  return (TOPICS as readonly unknown[]).includes(value);
}

/** Whether a value names a subtopic. */
export function isSubtopic(value: unknown): value is Subtopic {
  return (SUBTOPICS as readonly unknown[]).includes(value);
}

/** Whether a value names a type of focus. */
export function isFocusType(value: unknown): value is FocusType {
  return (FOCUS_TYPES as readonly unknown[]).includes(value);
}
