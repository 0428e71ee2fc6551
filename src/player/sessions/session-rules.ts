import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { AttemptInProgress, UnitResult } from '../attempts/attempt-service.ts';
import type { LaunchTransaction } from '../lrs/lrs-scope.ts';
import type { JsonObject, Statement } from '../lrs/xapi-types.ts';
import type { Session } from './session.ts';

/** What a request to the store changes, while its transaction is open. */
export interface SessionSituation {
  session: Session;
  /** The attempt, held by the transaction. */
  present: AttemptInProgress;
  course: PlayableVersion;
  unit: LaunchUnit;
  now: number;
  /** The service's own address, which activities of its own are named by. */
  baseUrl: string;
}

/** What came of a request's statements. */
export interface SessionOutcome {
  results: UnitResult[];
  /** What has happened in the session. */
  facts: JsonObject;
  endedAt: number | null;
  /** What the service itself says of it, to be stored behind the statements. */
  says: Statement[];
}

/** What a standard makes of statements. */
export interface SessionRules {
  /**
   * Whether a session may still use its credential for documents and reading.
   * @throws {ProblemError} `forbidden`
   */
  assertOpen(session: Session): void;
  /** @throws {ProblemError} `forbidden` */
  admitDocument?(document: { kind: string; id: string; contentType: string; content: Buffer }): void;
  /** What has happened once the unit has asked for a document; null where that changes nothing. */
  factsAfterReading?(session: Session, kind: string, id: string): JsonObject | null;
  begin(situation: SessionSituation): Omit<LaunchTransaction, 'learner'> & { outcome(): SessionOutcome };
}
