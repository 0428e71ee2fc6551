import { assetKey } from '../../events/asset-key.ts';
import type { FocusType, Subtopic, Topic } from '../../events/catalogue.ts';
import type { LoggingMode } from './logging-mode.ts';

/** The limits and defaults of a configuration. */
export const MIN_ATTEMPTS = 1;
export const MAX_ATTEMPTS = 1_000;
export const DEFAULT_MAX_ATTEMPTS = 10;
export const MAX_FOCUSES = 1_000;
export const DEFAULT_LOGGING_MODE: LoggingMode = 'FULLONERROR';

/** The focused asset: its id among assets of its type, and its name, as given or current. */
export interface Focus {
  type: FocusType;
  id: number;
  name: string | null;
}

/** The types of authentication that a webhook may have. */
export const AUTHENTICATION_TYPES = ['NONE', 'BASIC'] as const;

/** How the service authenticates to a webhook's target, as configured. A null secret keeps the stored one. */
export type Authentication = { type: 'NONE' } | { type: 'BASIC'; key: string; secret: string | null };

/** A webhook's valid configuration. */
export interface WebhookConfiguration {
  name: string;
  topic: Topic;
  /** If true, `subtopics` has all subtopics of the topic, except those that the focus excludes. */
  allSubtopics: boolean;
  subtopics: Subtopic[];
  focus: Focus[];
  targetUrl: string;
  authentication: Authentication;
  enabled: boolean;
  /** If true, its messages are queued, and delivered once it is resumed. */
  paused: boolean;
  maxAttempts: number;
  /** Epoch milliseconds. Messages about earlier events are discarded. */
  ignoreBefore: number | null;
  loggingMode: LoggingMode;
}

/** A stored webhook, without its secrets. */
export interface Webhook extends Omit<WebhookConfiguration, 'authentication'> {
  id: number;
  authentication: { type: 'NONE' } | { type: 'BASIC'; key: string };
  /** Whether its last failure is more recent than its last success or edit. */
  inError: boolean;
  /** Since when its postbacks are signed, and until when the former secret also signs, in epoch milliseconds. */
  signingSince: number | null;
  formerSigningSecretUntil: number | null;
  /** When it was paused, in epoch milliseconds; null if it is not. */
  pausedAt: number | null;
  /** When it became inactive; null if it is active, or if an earlier release deactivated it. */
  inactiveAt: number | null;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

type Matching = Pick<WebhookConfiguration, 'enabled' | 'topic' | 'subtopics' | 'focus'>;

/** Whether the same events match both configurations. */
export function matchesAsBefore(before: Matching, after: Matching): boolean {
  const keyOf = ({ enabled, topic, subtopics, focus }: Matching) =>
    JSON.stringify([enabled, topic, subtopics.toSorted(), focus.map(assetKey).sort()]);
  return keyOf(before) === keyOf(after);
}

/** A webhook's statistics since they were reset. Times are in epoch milliseconds. */
export interface WebhookStatistics {
  validFrom: number;
  successCount: number;
  lastSuccessAt: number | null;
  errorCount: number;
  lastErrorAt: number | null;
  lastErrorMessage: string | null;
}
