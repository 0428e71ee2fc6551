import type { FocusType, Subtopic, Topic } from '../../events/catalogue.ts';
import type { LoggingMode } from './logging-mode.ts';

/** Section 2.2's limits and the decided defaults. */
export const MIN_ATTEMPTS = 1;
export const MAX_ATTEMPTS = 1_000;
export const DEFAULT_MAX_ATTEMPTS = 10;
export const MAX_FOCUSES = 1_000;
export const DEFAULT_LOGGING_MODE: LoggingMode = 'FULLONERROR';

/** The focused asset: an id of the asset's type, and its name as given or as it is now. */
export interface Focus {
  type: FocusType;
  id: number;
  name: string | null;
}

export const AUTHENTICATION_TYPES = ['NONE', 'BASIC'] as const;

/** Key and secret of HTTP Basic, in the clear: only ever in memory. */
export interface BasicCredentials {
  key: string;
  secret: string;
}

/** How a webhook's target is authenticated to, as configured; a null secret keeps the stored one. */
export type Authentication = { type: 'NONE' } | { type: 'BASIC'; key: string; secret: string | null };

/** A webhook's configuration (section 2.2), checked. */
export interface WebhookConfiguration {
  name: string;
  topic: Topic;
  /** True: whatever the topic has, less what the focus excludes. `subtopics` then holds these. */
  allSubtopics: boolean;
  subtopics: Subtopic[];
  focus: Focus[];
  targetUrl: string;
  authentication: Authentication;
  enabled: boolean;
  /** True: its messages are queued, and delivered once it is resumed. */
  paused: boolean;
  maxAttempts: number;
  /** Epoch milliseconds: messages of earlier events are discarded. */
  ignoreBefore: number | null;
  loggingMode: LoggingMode;
}

/** A webhook as it is stored. Secrets are not part of it. */
export interface Webhook extends Omit<WebhookConfiguration, 'authentication'> {
  id: number;
  authentication: { type: 'NONE' } | { type: 'BASIC'; key: string };
  /** Section 3: a failure more recent than its last success or edit. */
  inError: boolean;
  /** Since when its postbacks are signed, and until when the former secret also signs, in epoch milliseconds. */
  signingSince: number | null;
  formerSigningSecretUntil: number | null;
  /** When it was paused, in epoch milliseconds; null when it is not. */
  pausedAt: number | null;
  /** When it became inactive; null when it is active, or when an earlier release deactivated it. */
  inactiveAt: number | null;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** Section 2.3. Times are in epoch milliseconds. */
export interface WebhookStatistics {
  validFrom: number;
  successCount: number;
  lastSuccessAt: number | null;
  errorCount: number;
  lastErrorAt: number | null;
  lastErrorMessage: string | null;
}
