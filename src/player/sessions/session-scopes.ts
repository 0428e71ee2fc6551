import type { FastifyRequest } from 'fastify';
import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { Database } from '../../database/database.ts';
import { BASIC_CHALLENGE, decodeBasic } from '../../identity/clients/basic-authentication.ts';
import type { Logger } from '../../observability/log.ts';
import { oncePer } from '../../once-per.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import { assertStillRecords } from '../attempts/superseding.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { LaunchService } from '../launches/launch-service.ts';
import { ActivityBranches } from '../lrs/activity-branches.ts';
import type { Lrs } from '../lrs/lrs.ts';
import type { LaunchScope, LrsScope } from '../lrs/lrs-scope.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { parametersOfAddress } from './launch-address.ts';
import { agentOf } from './learner-agent.ts';
import { RefusedVersions } from './refused-versions.ts';
import type { Session } from './session.ts';
import { readSessionOfSecret } from './session-of-secret.ts';
import type { SessionRules } from './session-rules.ts';
import { readSession, updateSession } from './session-store.ts';

/** The name of the service in the `authority` of stored statements. */
const SERVICE = 'coursewire';

/** The dependencies of {@link SessionScopes}. */
export interface SessionScopesOptions {
  database: Database;
  lrs: Lrs;
  attempts: AttemptService;
  courses: PlayerCourses;
  launches: LaunchService;
  /** The rules by learning standard. */
  rules: ReadonlyMap<string, SessionRules>;
  /** The base URL of the service, without a trailing slash. */
  baseUrl: () => string;
  now: () => number;
  log: Logger;
}

/** Turns the credentials of sessions into scopes of the learning record store. */
export class SessionScopes {
  readonly #options: SessionScopesOptions;
  readonly #refusedVersions: RefusedVersions;

  constructor(options: SessionScopesOptions) {
    this.#options = options;
    this.#refusedVersions = new RefusedVersions(options.log);
  }

  /** The credentials of a session in the Authorization header field, without the scheme. */
  static credential(sessionId: string, secret: string): string {
    return Buffer.from(`${sessionId}:${secret}`).toString('base64');
  }

  /**
   * The scope of a request that a course sends.
   * @throws {ProblemError} `unauthorized`, `forbidden`
   */
  async scopeOf(request: FastifyRequest, authorization: string | undefined): Promise<LrsScope> {
    const { launch } = request;
    const session = await this.#authenticate(launch, authorization);
    const rules = this.#options.rules.get(launch.learningStandard);
    if (rules === undefined) throw refused();
    const course = await this.#options.courses.read(
      this.#options.database.reader,
      launch.courseId,
      launch.versionId,
    );
    const unit = course.units.find(({ id }) => id === session.unitId);
    const ofPackage = unit === undefined ? {} : (rules.launchDataOf?.(unit) ?? {});
    const scope = this.#scope(session, [activitiesOf(course)], givenStates(session, ofPackage));
    return {
      ...scope,
      path: `${new URL(this.#options.launches.baseOf(launch)).pathname}/xapi`,
      launch: {
        ...scope.launch,
        addressParameters:
          unit === undefined ? new Set() : parametersOfAddress(unit.launch, rules.addressParameters),
        keepsDocuments: launch.mode === 'normal',
        assertOpen: ({ storesStatements }) => {
          if (storesStatements && rules.maySendAgain?.(session, this.#options.now())) return;
          rules.assertOpen(session, request.lastRequest);
        },
        ...this.#transaction(request, session, rules),
        ...(rules.admitDocument === undefined ? {} : { admitDocument: rules.admitDocument }),
        versionRefused: (version) => this.#refusedVersions.note(launch, version),
        documentRead: (kind, id) => this.#noteReading(launch, session, rules, { kind, id }),
      },
    };
  }

  /** The scope in which the service itself stores data of a session. */
  ownScope(session: Session): LrsScope {
    return this.#scope(session, [], new Map());
  }

  #scope(
    session: Session,
    ofCourse: readonly ActivityBranches[],
    given: LaunchScope['givenStates'],
  ): LrsScope & { launch: LaunchScope } {
    return {
      authority: agentOf(this.#options.baseUrl(), SERVICE),
      by: null,
      mayRead: true,
      mayWrite: true,
      path: '',
      launch: {
        registrationId: session.registrationId,
        registration: session.registration,
        actor: session.actor,
        activities: [new ActivityBranches([session.activityId]), ...ofCourse],
        givenStates: given,
        keepsDocuments: true,
      },
    };
  }

  #transaction({ launch, lastRequest }: FastifyRequest, { sessionId }: Session, rules: SessionRules) {
    const { attempts, courses, lrs, now, baseUrl } = this.#options;
    const transaction: LaunchScope['transaction'] = (work) =>
      attempts.recordFromUnit(launch, async (tx, current) => {
        const session = (await readSession(tx, sessionId))?.session;
        const course = await courses.read(tx, launch.courseId, launch.versionId);
        const unit = course.units.find(({ id }) => id === session?.unitId);
        if (session === undefined || unit === undefined) throw refused();
        assertStillRecords(session, current.attempt);
        const situation = { session, current, course, unit, lastRequest };
        const run = rules.begin({ ...situation, now: now(), baseUrl: baseUrl() });
        const assertOpen = (options?: { isRepeated: boolean }) =>
          rules.assertOpen(session, lastRequest, options);
        const result = await work(tx, {
          assertOpen: () => assertOpen(),
          admit(statements) {
            assertOpen({ isRepeated: statements.length === 0 });
            run.admit(statements);
          },
          stored: (statements) => run.stored(statements),
          learner: current.registration,
          spend: (bytes) => attempts.countStatements(tx, current, bytes),
        });
        const { results, facts, endedAt, statements } = run.outcome();
        if (statements.length > 0) await lrs.statements.storeIn(tx, this.ownScope(session), statements);
        await updateSession(tx, { sessionId, facts, endedAt, activeAt: now() });
        return { results, result };
      });
    return { transaction };
  }

  async #noteReading(
    launch: PlayerLaunch,
    session: Session,
    rules: SessionRules,
    { kind, id }: { kind: string; id: string },
  ): Promise<void> {
    const after = (at: Session) => rules.factsAfterReading?.(at, kind, id) ?? null;
    if (session.registrationId === null || after(session) === null) return;
    await this.#options.attempts.withLockedAttempt(launch, async (tx) => {
      const current = (await readSession(tx, session.sessionId))?.session;
      const facts = current === undefined ? null : after(current);
      if (current !== undefined && facts !== null) await updateSession(tx, { ...current, facts });
      return { results: [], result: undefined };
    });
  }

  async #authenticate(launch: PlayerLaunch, authorization: string | undefined): Promise<Session> {
    const [sessionId = '', secret = ''] = (decodeBasic(authorization ?? '') ?? '').split(':', 2);
    const { reader } = this.#options.database;
    const session = await readSessionOfSecret(reader, launch.launchId, { sessionId, secret });
    if (session === null) throw refused();
    return session;
  }
}

/** The course and its units. Kept, since each request needs the activities of its course, which may have thousands. */
const activitiesOf = oncePer(({ units, structure: { identifier } }: PlayableVersion) => {
  const ids = units.map(({ id }) => id);
  return new ActivityBranches(identifier === null ? ids : [...ids, identifier]);
});

/** @param ofPackage the part that comes from the package. A session may have stored it, too */
function givenStates({ launchData }: Session, ofPackage: JsonObject): ReadonlyMap<string, JsonObject> {
  if (Object.keys(launchData).length === 0) return new Map();
  return new Map([['LMS.LaunchData', { ...ofPackage, ...launchData }]]);
}

function refused(): ProblemError {
  return new ProblemError('unauthorized', 'The credential is not the one of this launch', {
    headers: { 'WWW-Authenticate': BASIC_CHALLENGE },
  });
}
