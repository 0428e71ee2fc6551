import { hash, randomBytes } from 'node:crypto';
import type { LaunchMode } from '../launches/launch.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';

/** How a unit is opened, in the words of cmi5 (section 10.2.2). */
export type SessionMode = 'Normal' | 'Browse' | 'Review';

/** A visit to a unit that calls the server itself. Times are epoch milliseconds. */
export interface Session {
  /** A UUID. */
  sessionId: string;
  launchId: string;
  /** Null for a preview, which records nothing. */
  registrationId: string | null;
  attempt: number;
  unitId: string;
  /** `context.registration` of its statements: a UUID per attempt. */
  registration: string;
  /** The learner, as an xAPI agent. */
  actor: JsonObject;
  /** The IRI of the unit in statements. */
  activityId: string;
  mode: SessionMode;
  /**
   * The data that the unit reads when it starts, in the form of the standard. Without the part that comes from the package
   * if that is long, because it would be stored again with each visit.
   */
  launchData: JsonObject;
  /** What has happened in the session, in the form of the standard. */
  facts: JsonObject;
  startedAt: number;
  /** The time of the latest request that counted. */
  activeAt: number;
  endedAt: number | null;
  /**
   * The page in which the unit was opened. The session also records while a page continues it. Null if the page is not
   * known: the session then records as long as its launch does.
   */
  page: number | null;
}

/** `Browse` or `Review` for a launch of that mode; `Normal` for others. */
export function lookingMode(mode: LaunchMode): SessionMode {
  return mode === 'browse' ? 'Browse' : mode === 'review' ? 'Review' : 'Normal';
}

const SECRET_BYTES = 24;

/** A secret of a session. Only its hash is stored. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** SHA-256 of a secret, in hexadecimal. No salt is needed, because secrets are random. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/**
 * `context.registration` of an attempt. For the first attempt, it is the id of the registration. For each later
 * attempt, it is a UUID derived from that id, so that the data of earlier attempts stays separate.
 */
export function registrationOfAttempt(registrationId: string, attempt: number): string {
  if (attempt <= 1) return registrationId;
  const hex = hash('sha256', `${registrationId} ${attempt}`, 'hex');
  // The version and variant bits of RFC 9562, section 5.8.
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
