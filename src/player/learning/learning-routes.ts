import { actorOf } from '../../audit/actor.ts';
import type { Registration } from '../../content/registrations/registration.ts';
import { toRegistrationRecord } from '../../content/registrations/registration-records.ts';
import { RegistrationParams, registrationIdOf } from '../../content/registrations/registration-routes.ts';
import { RegistrationRecord } from '../../content/registrations/registration-schemas.ts';
import type { RegistrationService } from '../../content/registrations/registration-service.ts';
import { callerOf } from '../../http/authorization.ts';
import { TOO_MANY_READS } from '../../http/caller-turns.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import { wellFormed } from '../../http/json-body.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import type { InputError } from '../../problems/problem.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import type { AttemptPart } from '../attempts/attempt-history.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import { DEFAULT_REASON, type Waiver } from '../cmi5/cmi5-waiving.ts';
import type { StatementReader } from '../lrs/statements/statement-reader.ts';
import { RuntimeQuery, RuntimeRecord, StatementRecord, WaiverInput } from './learning-schemas.ts';

const tags = ['Registrations'];
const LARGE_READ = { scope: 'content:read', hasLargeResponse: true };

/** Dependencies of {@link learningRoutes}. */
export interface LearningRoutesDependencies {
  registrations: RegistrationService;
  attempts: AttemptService;
  statements: StatementReader;
  /** The error of a unit that is not in the course of the registration. */
  unitErrors(registration: Registration, unitId: string): Promise<InputError[]>;
  /** Waives a unit of a registration. @throws {ProblemError} `not-found`, `conflict`, `invalid-request` */
  waive(waiver: Waiver): Promise<void>;
}

/** The routes of the automation API for learning data and for resetting registrations. */
export function learningRoutes(routes: Routes, dependencies: LearningRoutesDependencies): void {
  getRegistrationRuntimeRoute(routes, dependencies);
  listRegistrationStatementsRoute(routes, dependencies);
  resetRegistrationRoute(routes, dependencies);
  waiveRegistrationUnitRoute(routes, dependencies);
}

function getRegistrationRuntimeRoute(
  routes: Routes,
  { registrations, attempts }: LearningRoutesDependencies,
): void {
  routes.get(
    '/registrations/:registration_id/runtime',
    {
      config: LARGE_READ,
      schema: {
        tags,
        operationId: 'getRegistrationRuntime',
        summary: 'List the reports of a registration',
        description:
          'Returns the raw data of every attempt, with the status that the service derived from it. It shows why a ' +
          'course is not completed. A page has about 1 MiB of data, or a single unit with more, and at most `limit` ' +
          'attempts and units. If it ends within an attempt, the next page continues that attempt.',
        params: RegistrationParams,
        querystring: RuntimeQuery,
        response: { 200: RuntimeRecord, ...problems(400, 404, { 429: TOO_MANY_READS }) },
      },
    },
    async ({ params, query }): Promise<RuntimeRecord> => {
      const { registrationId } = await registrations.get(registrationIdOf(params));
      const request = { ...pageRequest(query), order: query.order ?? 'asc' };
      const page = await attempts.stored.historyOf(registrationId, request);
      const { data, next_cursor } = pageResponse(page, toRuntimeAttempt);
      return { attempts: data, next_cursor };
    },
  );
}

function listRegistrationStatementsRoute(
  routes: Routes,
  { registrations, statements }: LearningRoutesDependencies,
): void {
  routes.get(
    '/registrations/:registration_id/statements',
    {
      config: LARGE_READ,
      schema: {
        tags,
        operationId: 'listRegistrationStatements',
        summary: 'List the xAPI statements of a registration',
        description:
          'Returns the statements of a cmi5 or xAPI course, and those of the service about its launches. Courses of other ' +
          'standards have no statements.',
        params: RegistrationParams,
        querystring: PageQuery,
        response: {
          200: PageOf(StatementRecord, 'Statements, in the order in which they were stored.'),
          ...problems(400, 404, { 429: TOO_MANY_READS }),
        },
      },
    },
    async ({ params, query }) => {
      const { registrationId } = await registrations.get(registrationIdOf(params));
      const page = await statements.ofRegistration(registrationId, pageRequest(query));
      return pageResponse(page, ({ statement, sentence, isVoided }) => ({
        statement_id: statement.id,
        stored_dt: statement.stored,
        sentence,
        voided: isVoided,
        statement,
      }));
    },
  );
}

function resetRegistrationRoute(
  routes: Routes,
  { registrations, attempts }: LearningRoutesDependencies,
): void {
  routes.post(
    '/registrations/:registration_id/reset',
    {
      config: { scope: 'registrations:write' },
      schema: {
        tags,
        operationId: 'resetRegistration',
        summary: 'Reset a registration',
        description:
          'Ends the attempt and resets the status. The attempt can still be read. The next launch begins a new ' +
          'attempt with the version that is published now. A player page that is open records nothing more until the learner ' +
          'loads it again. Triggers ' +
          'REGISTRATION_STATUS_UPDATED if completion, success or score changes.',
        params: RegistrationParams,
        response: { 200: RegistrationRecord, ...problems(404, 412) },
      },
    },
    async (request, reply) => {
      const id = registrationIdOf(request.params);
      const registration = await registrations.reset(
        id,
        { user: callerOf(request).user, by: actorOf(request), expected: expectedRevisions(request) },
        (tx) => attempts.endLatest(tx, id),
      );
      return reply.header('ETag', entityTag(registration.revision)).send(toRegistrationRecord(registration));
    },
  );
}

function waiveRegistrationUnitRoute(
  routes: Routes,
  { registrations, unitErrors, waive }: LearningRoutesDependencies,
): void {
  routes.post(
    '/registrations/:registration_id/waive',
    {
      config: { scope: 'registrations:write' },
      attachValidation: true,
      schema: {
        tags,
        operationId: 'waiveRegistrationUnit',
        summary: 'Waive a unit of a cmi5 course',
        description:
          'Excuses the learner from a unit, for example because the learner has passed a similar one. The unit counts as ' +
          'completed and passed. A statement `waived` is stored, and a statement `satisfied` for each block and course that this ' +
          'completes. Triggers REGISTRATION_STATUS_UPDATED if completion, success or score of the registration changes. ' +
          'Rejected if the course is not a cmi5 course, the registration is for an equivalent and has no language yet, or the ' +
          'unit is already satisfied (409).',
        params: RegistrationParams,
        body: WaiverInput,
        response: {
          200: RegistrationRecord,
          ...problems(
            400,
            404,
            {
              409: 'The course is not a cmi5 course, no language of the equivalent is chosen, or the unit is already satisfied.',
            },
            413,
            415,
          ),
        },
      },
    },
    async (request, reply) => {
      await assertValidOrLookUp(request, async () => {
        // The body may have any form.
        const unitId: unknown = request.body?.unit_id;
        if (typeof unitId !== 'string') return [];
        return await unitErrors(await registrations.get(registrationIdOf(request.params)), unitId);
      });
      const registrationId = registrationIdOf(request.params);
      const { unit_id: unitId, reason } = request.body;
      await waive({
        registrationId,
        unitId,
        reason: reason ?? DEFAULT_REASON,
        by: actorOf(request),
        user: callerOf(request).user,
      });
      const registration = await registrations.get(registrationId);
      return reply.header('ETag', entityTag(registration.revision)).send(toRegistrationRecord(registration));
    },
  );
}

function toRuntimeAttempt(attempt: AttemptPart): RuntimeRecord['attempts'][number] {
  return {
    attempt: attempt.number,
    version_id: attempt.versionId,
    started_dt: formatDateTime(attempt.startedAt),
    ended_dt: formatOptionalDateTime(attempt.endedAt),
    state: wellFormed(attempt.state),
    units: attempt.units.map((unit) => ({
      unit_id: unit.unitId,
      completion: unit.completion,
      success: unit.success,
      score: unit.score,
      duration_ms: unit.durationMs,
      completion_dt: formatOptionalDateTime(unit.completedAt),
      opened_dt: formatDateTime(unit.openedAt),
      updated_dt: formatDateTime(unit.updatedAt),
      data: wellFormed(unit.data),
    })),
  };
}
