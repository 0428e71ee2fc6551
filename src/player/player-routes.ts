import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { PlayableVersion } from '../content/courses/playable-version.ts';
import type { Reader } from '../database/database.ts';
import { notFound } from '../problems/problem.ts';
import { type LearningStatus, NOTHING_LEARNED, type UnitState } from './attempts/attempt.ts';
import { type AttemptService, closedUnit } from './attempts/attempt-service.ts';
import { assertStorableId } from './attempts/unit-ids.ts';
import { readBody } from './content-origin/read-body.ts';
import type { CourseRuntime } from './course-runtime.ts';
import type { PlayerCourses } from './courses/player-courses.ts';
import type { PlayerLaunch } from './launches/launch.ts';
import type { LaunchService } from './launches/launch-service.ts';
import { asksForBrowsed, closedUnits } from './prerequisites.ts';
import { timeLimitOf } from './time-limit.ts';

const MAX_ID_LENGTH = 4_096;

const UnitRequest = Type.Object(
  {
    unit: Type.String({ maxLength: MAX_ID_LENGTH }),
    /** Whether the sequencing resumes the unit; left out without sequencing. */
    isResumed: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** A unit as the contents show it. */
export interface UnitInContents {
  id: string;
  title: string;
  completion: string;
  success: string;
  score: number | null;
  /** Whether its prerequisites are met. */
  isOpen: boolean;
}

/** What a player page knows when it opens. */
export interface PageAnswer {
  course: { name: string; standard: string };
  mode: string;
  /** The registration that the page records; null for a preview. */
  registration: string | null;
  attempt: number;
  /** Goes with every write of the page. */
  page: number;
  units: UnitInContents[];
  /** Of the whole course. */
  result: LearningStatus;
  /** The unit that was open last; null before the first. */
  lastUnit: string | null;
  returnUrl: string | null;
  /** What leads through the units, and what it left; null where a table of contents is enough. */
  sequencing: { tree: unknown; state: unknown } | null;
}

/** What the player page asks, below a launch's token. */
export function playerRoutes(
  scope: FastifyInstance,
  {
    attempts,
    courses,
    launches,
    runtimes,
    reader,
  }: {
    attempts: AttemptService;
    courses: PlayerCourses;
    launches: LaunchService;
    runtimes: readonly CourseRuntime[];
    reader: Reader;
  },
): void {
  // A preview records nothing, so nothing would ever open the units that are closed at first.
  const closedFor = async (
    { mode, registrationId }: PlayerLaunch,
    course: PlayableVersion,
    opened: readonly UnitState[],
  ): Promise<ReadonlySet<string>> => {
    if (mode !== 'normal') return new Set();
    const readsAgain = registrationId !== null && asksForBrowsed(course);
    return closedUnits(course, readsAgain ? await attempts.browsedUnitsOf(registrationId) : opened);
  };
  const contentsOf = async (launch: PlayerLaunch, opened: readonly UnitState[]) => {
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const states = new Map(opened.map((unit) => [unit.unitId, unit]));
    const closed = await closedFor(launch, course, opened);
    return course.units.map(({ id, title }): UnitInContents => {
      const { completion, success, score } = states.get(id) ?? NOTHING_LEARNED;
      return { id, title, completion, success, score, isOpen: !closed.has(id) };
    });
  };
  const runtimeOf = ({ learningStandard }: PlayerLaunch) =>
    runtimes.find(({ standards }) => (standards as readonly string[]).includes(learningStandard));
  const openedUnits = async ({ registrationId }: PlayerLaunch, dataOf: string | null) =>
    registrationId === null ? [] : await attempts.unitsOf(registrationId, dataOf);

  const resultOf = async ({ registrationId }: PlayerLaunch) =>
    registrationId === null ? NOTHING_LEARNED : await attempts.resultOf(registrationId);

  // Lets a page send what an earlier one left in the browser, before opening takes over from that one.
  scope.get('/attempt', async ({ launch: { registrationId, mode } }) => {
    if (registrationId === null || mode !== 'normal') return { registration: null, attempt: 0 };
    return { registration: registrationId, attempt: await attempts.currentNumber(registrationId) };
  });
  const sequencingOf = async (launch: PlayerLaunch, course: PlayableVersion, state: unknown) => {
    const runtime = runtimeOf(launch);
    const alone = runtime?.sequencingOf?.(course, state, []) ?? null;
    if (alone === null || launch.registrationId === null) return alone;
    const values = await attempts.learnerValuesOf(
      launch.registrationId,
      (value) => runtime?.sharesValue?.(course, value) ?? false,
    );
    return runtime?.sequencingOf?.(course, state, values) ?? null;
  };

  // Opening changes who may write, so that it is no GET: what looks ahead for links must not take over.
  scope.post('/open', async ({ launch }): Promise<PageAnswer> => {
    const { attempt, page, units: opened, state } = await attempts.openPage(launch);
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const last = opened.reduce<UnitState | null>(
      (latest, unit) => (latest === null || unit.updatedAt >= latest.updatedAt ? unit : latest),
      null,
    );
    return {
      course: { name: launch.courseName, standard: launch.learningStandard },
      mode: launch.mode,
      registration: launch.registrationId,
      attempt,
      page,
      units: await contentsOf(launch, opened),
      result: await resultOf(launch),
      lastUnit: last?.unitId ?? null,
      returnUrl: launch.returnUrl,
      sequencing: await sequencingOf(launch, course, state),
    };
  });

  scope.post('/units', async ({ launch }) => ({
    units: await contentsOf(launch, await openedUnits(launch, null)),
    result: await resultOf(launch),
  }));

  scope.post('/unit', async ({ launch, body }) => {
    const { unit: unitId, isResumed } = readBody(UnitRequest, body);
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const unit = course.units.find(({ id }) => id === unitId);
    const runtime = runtimeOf(launch);
    if (unit === undefined || runtime === undefined) throw notFound('unit', unitId);
    const opened = await openedUnits(launch, unitId);
    if ((await closedFor(launch, course, opened)).has(unitId)) throw closedUnit(unitId);
    if (launch.registrationId !== null) assertStorableId(unitId);
    const present = opened.find((each) => each.unitId === unitId) ?? null;
    // Sequencing has rules of its own for what is done again.
    const isSequenced = (runtime.sequencingOf?.(course, null, []) ?? null) !== null;
    const isReview = launch.mode !== 'normal' || (!isSequenced && present !== null && isFinished(present));
    const start = await runtime.openUnit({
      launch,
      course,
      unit,
      present,
      isReview,
      // A page of an earlier release does not say it.
      isResumed: isSequenced ? (isResumed ?? wasLeftOpen(present)) : null,
      baseUrl: launches.baseOf(launch),
    });
    const usedMs = isResumed === false ? 0 : (present?.durationMs ?? 0);
    return { ...start, isReview, timeLimit: isReview ? null : timeLimitOf(unit, usedMs) };
  });
}

/** Whether a unit was left in the middle, as far as its own data says. */
function wasLeftOpen(present: UnitState | null): boolean {
  if (present === null) return false;
  const data = present.data as { terminated?: unknown; cmi?: { exit?: unknown } } | null;
  return data?.terminated !== true || data.cmi?.exit === 'suspend';
}

/**
 * Whether a unit is opened for review: completed, not failed, and left in a way that does not ask to be resumed. One
 * that suspended goes on, since courses complete early and bring their score later.
 */
function isFinished({ completion, success, data }: UnitState): boolean {
  if (completion !== 'Completed' || success === 'FAIL') return false;
  const cmi = (data as { cmi?: { exit?: unknown; core?: { exit?: unknown } } } | null)?.cmi;
  const exit = cmi?.core?.exit ?? cmi?.exit;
  return exit !== 'suspend';
}
