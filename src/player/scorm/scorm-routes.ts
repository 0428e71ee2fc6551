import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { Reader } from '../../database/database.ts';
import { notFound } from '../../problems/problem.ts';
import { NOTHING_LEARNED, type RecordOutcome, type UnitState } from '../attempts/attempt.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import type { RolledUpStatus } from '../attempts/roll-up.ts';
import { MAX_UNIT_ID_LENGTH } from '../attempts/unit-ids.ts';
import type { UnitResult } from '../attempts/unit-result.ts';
import { readBody } from '../content-origin/read-body.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { entranceOf } from '../prerequisites.ts';
import { withoutLowerScore } from './another-pass.ts';
import { attemptTimeData } from './attempt-time.ts';
import { type Cmi, cmiOf, hasTerminated, mergeCmi } from './cmi.ts';
import { activityTreeOf, rollupTreeOf } from './course-activity-tree.ts';
import { learnerValuesOf, sharesValues } from './learner-values.ts';
import { readScorm12 } from './scorm12-status.ts';
import { readScorm2004 } from './scorm2004-status.ts';
import type { ActivityTreeDefinition } from './sequencing/activity-definition.ts';
import { begunState, readSequencingState, rolledUpStatus, statusByRules } from './sequencing-state.ts';
import { visitMs } from './visit-time.ts';

const MAX_SPLICES = 16;
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const Asset = Type.Object(
  {
    unit: Type.String({ maxLength: MAX_UNIT_ID_LENGTH }),
    page: Count,
    visit: Count,
    sequence: Count,
    /** The attempt of an earlier page that was unable to send this itself. */
    lateOf: Type.Optional(Count),
    state: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

const Commit = Type.Object(
  {
    unit: Type.String({ maxLength: MAX_UNIT_ID_LENGTH }),
    page: Count,
    visit: Count,
    sequence: Count,
    /** Milliseconds since the session began, as the page measured them. {@link visitMs} limits them. */
    elapsedMs: Type.Number({ minimum: 0 }),
    /** Milliseconds of the sessions that the unit has ended in this visit, before it began another one. */
    earlierSessionsMs: Type.Optional(Type.Number({ minimum: 0 })),
    /** Whether the unit has terminated its session. */
    terminated: Type.Boolean(),
    /** The data model, with any members. */
    cmi: Type.Unsafe<Cmi>(Type.Object({})),
    isChange: Type.Optional(Type.Boolean()),
    /** Whether the visit has begun another attempt on the unit. Missing without sequencing. */
    isNewAttempt: Type.Optional(Type.Boolean()),
    /** The attempt of an earlier page that was unable to send this itself. */
    lateOf: Type.Optional(Count),
    splices: Type.Optional(
      Type.Array(
        Type.Object(
          { of: Type.String({ maxLength: 64 }), start: Count, end: Count, text: Type.String() },
          { additionalProperties: false },
        ),
        { maxItems: MAX_SPLICES },
      ),
    ),
    state: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** Dependencies of {@link scormRoutes}. */
export interface ScormRoutesDependencies {
  attempts: AttemptService;
  courses: PlayerCourses;
  reader: Reader;
}

/** The routes to which the player page sends the data of SCORM units. */
export function scormRoutes(scope: FastifyInstance, dependencies: ScormRoutesDependencies): void {
  assetRoute(scope, dependencies);
  commitRoute(scope, dependencies);
}

/** Opening an asset, which reports nothing and is therefore completed. */
function assetRoute(scope: FastifyInstance, { attempts, courses, reader }: ScormRoutesDependencies): void {
  scope.post('/asset', async ({ launch, body }, reply) => {
    const { unit: unitId, state, lateOf, ...position } = readBody(Asset, body);
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const unit = course.units.find(({ id }) => id === unitId);
    if (unit === undefined || unit.reports) throw notFound('asset', unitId);
    const outcome = await attempts.recordFromPage(launch, {
      ...rolledUpOf(course, state),
      ...(state === undefined ? {} : { state }),
      ...(lateOf === undefined ? {} : { lateOf }),
      unitId,
      position,
      entrance: entranceOf(course, unitId),
      apply: () => ({
        data: null,
        status: { completion: 'Completed', success: 'UNKNOWN', score: null },
        visitMs: 0,
      }),
    });
    return reply.code(statusOf(outcome)).send({ outcome });
  });
}

function commitRoute(scope: FastifyInstance, { attempts, courses, reader }: ScormRoutesDependencies): void {
  scope.post('/commit', async ({ launch, body }, reply) => {
    const commit = readBody(Commit, body);
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const unit = course.units.find(({ id }) => id === commit.unit);
    if (unit === undefined) throw notFound('unit', commit.unit);
    const position = { page: commit.page, visit: commit.visit, sequence: commit.sequence };
    const read = (cmi: Cmi, terminated: boolean) =>
      isScorm2004(course) ? readScorm2004(cmi, unit, course, terminated) : readScorm12(cmi, unit, terminated);
    const outcome = await attempts.recordFromPage(launch, {
      unitId: unit.id,
      position,
      entrance: entranceOf(course, unit.id),
      ...(commit.lateOf === undefined ? {} : { lateOf: commit.lateOf }),
      apply(current) {
        const { cmi, isWhole } = mergeCmi(current, commit);
        // The page then keeps its own whole copy, and sends the state later.
        const lacksState =
          commit.isChange && commit.state === undefined && activityTreeOf(course.structure) !== null;
        const { status, sessionMs } = read(cmi, commit.terminated);
        const isSameVisit =
          current?.position.page === position.page && current.position.visit === position.visit;
        const last = isSameVisit ? read(cmiOf(current), hasTerminated(current)).status : null;
        return {
          data: {
            cmi,
            terminated: commit.terminated,
            ...attemptTimeData(current, { position, isNewAttempt: commit.isNewAttempt ?? false }),
          },
          isWhole: isWhole && !lacksState,
          status: withoutLowerScore(status, { current, last }),
          visitMs: visitMs(commit, sessionMs),
        };
      },
      ...(commit.state === undefined ? {} : { state: commit.state }),
      ...rolledUpOf(course, commit.state),
    });
    return reply.code(statusOf(outcome)).send({ outcome });
  });
}

function statusOf(outcome: RecordOutcome): number {
  return outcome === 'superseded' || outcome === 'reset' ? 409 : 200;
}

/** Whether a course uses the data model of SCORM 2004, of any edition. */
export function isScorm2004({ learningStandard }: { learningStandard: string }): boolean {
  return learningStandard.startsWith('SCORM_2004');
}

/** The results of a course's rollup rules; empty for a course that has none. */
function rolledUpOf(
  { structure }: PlayableVersion,
  state: unknown,
): Pick<UnitResult, 'rolledUp' | 'learnerValues'> {
  const tree = activityTreeOf(structure);
  if (tree === null) {
    const rules = rollupTreeOf(structure);
    return rules === null ? {} : { rolledUp: (unit) => statusByRules(rules, unit) };
  }
  const current = readSequencingState(state, tree);
  if (current === null) return { rolledUp: (unit) => statusWithoutState(tree, unit) };
  const rolledUp = (unit: UnitState) => rolledUpStatus(current, tree, unit);
  if (!sharesValues(tree)) return { rolledUp };
  return {
    rolledUp,
    learnerValues: (former) => learnerValuesOf(tree, current, former),
  };
}

/**
 * The status of a sequenced course whose page sent no state. A page of an earlier release sends none for a course of one
 * unit. Any other course keeps its status; the former state is not read, because no value has changed.
 */
function statusWithoutState(tree: ActivityTreeDefinition, unit: UnitState): RolledUpStatus {
  const begun = begunState(tree, unit);
  return begun === null ? { ...NOTHING_LEARNED, isJudged: false } : rolledUpStatus(begun, tree, unit);
}
