import { createHash, randomBytes } from 'node:crypto';
import type { LaunchMode } from '../launches/launch.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';

/** How a unit is opened; cmi5's words (section 10.2.2). */
export type SessionMode = 'Normal' | 'Browse' | 'Review';

/** A visit to a unit that talks to the server by itself. Moments are epoch milliseconds. */
export interface Session {
  /** A UUID. */
  sessionId: string;
  launchId: string;
  /** Null for a preview, which records nothing. */
  registrationId: string | null;
  attempt: number;
  unitId: string;
  /** `context.registration` of its statements: a UUID for each attempt. */
  registration: string;
  /** The learner. */
  actor: JsonObject;
  /** The IRI of the unit in statements. */
  activityId: string;
  mode: SessionMode;
  /** What the unit reads at its start, as the standard has it. */
  launchData: JsonObject;
  /** What has happened in the session, as the standard counts it. */
  facts: JsonObject;
  startedAt: number;
  /** The latest request that counted. */
  activeAt: number;
  endedAt: number | null;
}

/** The session mode of a launch to look around; `Normal` for others. */
export function lookingMode(mode: LaunchMode): SessionMode {
  return mode === 'browse' ? 'Browse' : mode === 'review' ? 'Review' : 'Normal';
}

const SECRET_BYTES = 24;

/** A secret of a session; only its hash is kept. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** SHA-256 of a secret, hexadecimal: secrets are random, which no dictionary holds. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * `context.registration` of an attempt: the registration's own id for the first one, and a UUID made of it for each that
 * follows, so that what earlier attempts recorded stays theirs.
 */
export function registrationOfAttempt(registrationId: string, attempt: number): string {
  if (attempt <= 1) return registrationId;
  const hex = createHash('sha256').update(`${registrationId} ${attempt}`).digest('hex');
  // The version and variant of RFC 9562, section 5.8.
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
