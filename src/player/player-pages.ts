import type { PlayableVersion } from '../content/courses/playable-version.ts';
import type { StructureItem } from '../course-packages/course-structure.ts';
import type { LaunchUnit } from '../course-packages/package-description.ts';
import type { Reader } from '../database/database.ts';
import { notFound } from '../problems/problem.ts';
import { type LearningStatus, NOTHING_LEARNED, type OpenedPage, type UnitState } from './attempts/attempt.ts';
import type { AttemptService } from './attempts/attempt-service.ts';
import { assertStorableId } from './attempts/unit-ids.ts';
import { closedUnit } from './attempts/unit-result.ts';
import { type CourseRuntime, type CourseSequencing, runtimeOf } from './course-runtime.ts';
import type { PlayerLaunch } from './launches/launch.ts';
import type { LaunchService } from './launches/launch-service.ts';
import type { PageResponse, UnitInContents, UnitResponse, UnitsResponse } from './page-responses.ts';
import type { PlayerCourses } from './player-courses.ts';
import { asksForBrowsed, closedUnits } from './prerequisites.ts';
import { attemptMs } from './scorm/attempt-time.ts';
import { isLeftOpen } from './scorm/cmi.ts';
import { type TimeLimit, timeLimitOf } from './time-limit.ts';

/** A unit that a page opens. */
interface UnitToOpen {
  unit: string;
  /** Whether the sequencing resumes the unit. Missing without sequencing. */
  isResumed?: boolean | undefined;
  /** The page that opens it. Pages of earlier releases do not send it. */
  page?: number | undefined;
}

/** Dependencies of {@link PlayerPages}. */
export interface PlayerPagesDependencies {
  attempts: AttemptService;
  courses: PlayerCourses;
  launches: LaunchService;
  runtimes: readonly CourseRuntime[];
  reader: Reader;
}

/** Decides what the player page shows, and opens its units. */
export class PlayerPages {
  readonly #with: PlayerPagesDependencies;

  constructor(dependencies: PlayerPagesDependencies) {
    this.#with = dependencies;
  }

  /**
   * Opens a page, which supersedes earlier ones.
   * @param request.continues the page that the same tab had loaded before
   */
  async open(launch: PlayerLaunch, { continues }: { continues?: number | undefined }): Promise<PageResponse> {
    const { attempts, courses, reader } = this.#with;
    const openedNow = await attempts.openPage(launch, continues);
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const sequencing = this.#sequencingOf(launch, course);
    const openedPage = { ...openedNow, state: await this.#stateOf(launch, sequencing, openedNow) };
    const { attempt, page, isContinued, units: opened } = openedPage;
    return {
      course: { name: launch.courseName, standard: launch.learningStandard, language: launch.language },
      mode: launch.mode,
      registration: launch.registrationId,
      attempt,
      page,
      isContinued,
      units: await this.#contentsOf(launch, opened),
      result: await this.#resultOf(launch),
      lastUnit: await this.#lastUnitOf(launch, openedPage),
      returnUrl: launch.returnUrl,
      sequencing: sequencing && (await this.#startOf(launch, sequencing, openedPage)),
    };
  }

  /**
   * The units with their results, and whether the page with these numbers still records. Without numbers, it is not checked.
   */
  async units(
    launch: PlayerLaunch,
    { attempt, page }: { attempt?: number | undefined; page?: number | undefined },
  ): Promise<UnitsResponse> {
    const isKnown = attempt !== undefined && page !== undefined;
    const end = isKnown ? await this.#with.attempts.stored.endOfPage(launch, { attempt, page }) : null;
    return {
      units: await this.#contentsOf(launch, await this.#openedUnits(launch, null)),
      result: await this.#resultOf(launch),
      isSuperseded: end !== null,
      isReset: end === 'reset',
    };
  }

  /**
   * Opens a unit, and returns what its runtime starts with.
   * @throws {ProblemError} `not-found`, and if its prerequisites are not met
   */
  async openUnit(launch: PlayerLaunch, { unit: unitId, ...asked }: UnitToOpen): Promise<UnitResponse> {
    const { courses, launches, reader } = this.#with;
    const course = await courses.read(reader, launch.courseId, launch.versionId);
    const unit = course.units.find(({ id }) => id === unitId);
    const runtime = this.#runtimeOf(launch);
    if (unit === undefined || runtime === undefined) throw notFound('unit', unitId);
    const opened = await this.#openedUnits(launch, unitId);
    if ((await this.#closedFor(launch, course, opened)).has(unitId)) throw closedUnit(unitId);
    if (launch.registrationId !== null) assertStorableId(unitId);
    const current = opened.find((each) => each.unitId === unitId) ?? null;
    // Sequencing has its own rules for repeating a unit.
    const isSequenced = this.#sequencingOf(launch, course) !== null;
    // Pages of earlier releases do not send it.
    const isResumed = isSequenced ? (asked.isResumed ?? isLeftOpen(current)) : null;
    const timeLimit = timeLimitOf(unit, isResumed === false ? 0 : attemptMs(current));
    const isReview =
      launch.mode !== 'normal' || (!isSequenced && current !== null && isFinished(unit, current, timeLimit));
    const start = await runtime.openUnit({
      launch,
      page: asked.page ?? null,
      course,
      unit,
      current,
      isReview,
      isResumed,
      baseUrl: launches.baseOf(launch),
    });
    return {
      ...start,
      ownWindow: requiresOwnWindow(unit),
      timeLimit: start.isReview ? null : timeLimit,
    };
  }

  async #contentsOf(launch: PlayerLaunch, opened: readonly UnitState[]): Promise<UnitInContents[]> {
    const course = await this.#with.courses.read(this.#with.reader, launch.courseId, launch.versionId);
    const states = new Map(opened.map((unit) => [unit.unitId, unit]));
    const closed = await this.#closedFor(launch, course, opened);
    const hidden = new Set(hiddenItems(course.structure.items));
    return course.units.map((unit) => {
      const { id, title } = unit;
      const { completion, success, score } = states.get(id) ?? NOTHING_LEARNED;
      return {
        id,
        title,
        completion,
        success,
        score,
        isVisible: !hidden.has(id),
        isOpen: !closed.has(id),
        ownWindow: requiresOwnWindow(unit),
      };
    });
  }

  /** A launch that records nothing could never meet a prerequisite, so all of its units are open. */
  async #closedFor(
    { mode, registrationId }: PlayerLaunch,
    course: PlayableVersion,
    opened: readonly UnitState[],
  ): Promise<ReadonlySet<string>> {
    if (mode !== 'normal') return new Set();
    const readsAgain = registrationId !== null && asksForBrowsed(course);
    return closedUnits(
      course,
      readsAgain ? await this.#with.attempts.stored.browsedUnitsOf(registrationId) : opened,
    );
  }

  async #openedUnits({ registrationId }: PlayerLaunch, dataOf: string | null): Promise<UnitState[]> {
    return registrationId === null ? [] : await this.#with.attempts.stored.unitsOf(registrationId, dataOf);
  }

  async #resultOf({ registrationId }: PlayerLaunch): Promise<LearningStatus> {
    return registrationId === null
      ? NOTHING_LEARNED
      : await this.#with.attempts.stored.resultOf(registrationId);
  }

  async #lastUnitOf(launch: PlayerLaunch, { attempt, units }: OpenedPage): Promise<string | null> {
    const { lastUnit } = this.#runtimeOf(launch) ?? {};
    if (launch.registrationId !== null && lastUnit !== undefined) {
      return await lastUnit(launch.registrationId, attempt);
    }
    const last = units.reduce<UnitState | null>(
      (latest, unit) => (latest === null || unit.updatedAt >= latest.updatedAt ? unit : latest),
      null,
    );
    return last?.unitId ?? null;
  }

  /** The data that all units share. If the attempt began without any, it follows from the unit that was opened. */
  async #stateOf(
    { registrationId }: PlayerLaunch,
    sequencing: CourseSequencing | null,
    opened: OpenedPage,
  ): Promise<unknown> {
    const [only, ...others] = opened.units;
    if (opened.state !== null || only === undefined || others.length > 0) return opened.state;
    if (registrationId === null || sequencing === null) return null;
    const withData = await this.#with.attempts.stored.unitsOf(registrationId, only.unitId);
    const unit = withData.find(({ unitId }) => unitId === only.unitId);
    return unit === undefined ? null : sequencing.begunState(unit);
  }

  async #startOf(
    launch: PlayerLaunch,
    sequencing: CourseSequencing,
    opened: OpenedPage,
  ): Promise<PageResponse['sequencing']> {
    const { attempts } = this.#with;
    if (launch.registrationId === null) return sequencing.startOf(opened.state, []);
    const values = await attempts.stored.learnerValuesOf(launch.registrationId, (value) =>
      sequencing.sharesValue(value),
    );
    const given = sequencing.valuesGiven(opened.state, values);
    if (given !== undefined) await attempts.keepState(launch, opened, given);
    return sequencing.startOf(opened.state, values);
  }

  #sequencingOf(launch: PlayerLaunch, course: PlayableVersion): CourseSequencing | null {
    return this.#runtimeOf(launch)?.sequencingOf?.(course) ?? null;
  }

  #runtimeOf({ learningStandard }: PlayerLaunch): CourseRuntime | undefined {
    return runtimeOf(this.#with.runtimes, learningStandard);
  }
}

/** The ids of the items that the manifest hides. That hides nothing below them. */
function hiddenItems(items: readonly StructureItem[]): string[] {
  return items.flatMap(({ id, isVisible, children }) => [
    ...(isVisible ? [] : [id]),
    ...hiddenItems(children),
  ]);
}

/** Only cmi5 has such units. */
function requiresOwnWindow({ cmi5 }: LaunchUnit): boolean {
  return cmi5?.launchMethod === 'OwnWindow';
}

/**
 * Whether a unit opens for review: it is completed, not failed, and cannot be continued. A unit that was left open can
 * be continued, because courses report completion early and their score later. So can a unit with a passing score that
 * is not judged yet, because a learner may read its pages in one visit and take its test in another. No unit can be
 * continued once its time is used up.
 */
function isFinished(
  { reports, masteryScore }: LaunchUnit,
  current: UnitState,
  timeLimit: TimeLimit | null,
): boolean {
  const isOverTime = timeLimit?.exits === true && timeLimit.leftMs === 0;
  const isUnjudged = reports && masteryScore !== null && current.success === 'UNKNOWN';
  const canContinue = (isLeftOpen(current) || isUnjudged) && !isOverTime;
  return current.completion === 'Completed' && current.success !== 'FAIL' && !canContinue;
}
