import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { AttemptInProgress } from '../attempts/attempt-service.ts';
import type { UnitResult } from '../attempts/unit-result.ts';
import type { RequestPlace } from '../content-origin/request-order.ts';
import type { LaunchTransaction } from '../lrs/lrs-scope.ts';
import type { JsonObject, Statement } from '../lrs/xapi-types.ts';
import type { Session } from './session.ts';

/** The context of a request to the learning record store, while its transaction is open. */
export interface SessionSituation {
  session: Session;
  /** The attempt, which the transaction locks. */
  current: AttemptInProgress;
  course: PlayableVersion;
  unit: LaunchUnit;
  now: number;
  /** Null unless the page sent the request while it was being closed. */
  lastRequest: RequestPlace | null;
  /** The base URL of the service, with which the IRIs of its own activities start. */
  baseUrl: string;
}

/** The effects of a request's statements. */
export interface SessionOutcome {
  results: UnitResult[];
  /** What has happened in the session, including this request. */
  facts: JsonObject;
  endedAt: number | null;
  /** Statements of the service itself, to be stored after those of the request. */
  statements: Statement[];
}

/** How a standard interprets statements. */
export interface SessionRules {
  /** The names of the query parameters that it adds to the address of a unit. */
  addressParameters: readonly string[];
  /**
   * Checks that a session may still use its credential.
   * @param lastRequest the place of the request; null unless the page sent it while it was being closed
   * @param options `isRepeated`: whether the request repeats stored statements and nothing else
   * @throws {ProblemError} `forbidden`
   */
  assertOpen(session: Session, lastRequest: RequestPlace | null, options?: { isRepeated?: boolean }): void;
  /**
   * Whether a session that has ended is still answered that the statements it sends again are stored: it may not have
   * received the first response. If missing, it is not.
   */
  maySendAgain?(session: Session, now: number): boolean;
  /** The part of the session's `launchData` that comes from the package. */
  launchDataOf?(unit: LaunchUnit): JsonObject;
  /** @throws {ProblemError} `forbidden` */
  admitDocument?(document: { kind: string; id: string; contentType: string; content: Buffer }): void;
  /** What has happened in the session, including that the unit read a document; null if that changes nothing. */
  factsAfterReading?(session: Session, kind: string, id: string): JsonObject | null;
  begin(
    situation: SessionSituation,
  ): Pick<LaunchTransaction, 'admit' | 'stored'> & { outcome(): SessionOutcome };
}
