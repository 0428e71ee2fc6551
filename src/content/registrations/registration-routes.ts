import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import type { Transaction } from '../../database/database.ts';
import { callerOf } from '../../http/authorization.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { describedAs, PageOf } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import { type InputError, notFound } from '../../problems/problem.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { isUuid } from '../../uuid.ts';
import { givenMembers } from '../assets/given-members.ts';
import { canonicalLanguage, LANGUAGE_RULE } from '../equivalents/language.ts';
import type { IsOpened } from './course-to-launch.ts';
import { LAUNCH_LIFETIME_MS } from './launch-tokens.ts';
import type { Registration } from './registration.ts';
import {
  subjectErrors,
  toFilter,
  toRegistrationRecord,
  toStatus,
  toSubject,
} from './registration-records.ts';
import {
  LaunchInput,
  LaunchRecord,
  RegistrationInput,
  RegistrationQuery,
  RegistrationRecord,
  type RegistrationUnitRecord,
  RegistrationWithUnitsRecord,
  StatusInput,
} from './registration-schemas.ts';
import type { RegistrationService } from './registration-service.ts';
import { readReturnUrl, returnUrlRule } from './return-url.ts';

const READ_SCOPE = 'content:read';
const READ = { scope: READ_SCOPE };
const WRITE = { scope: 'registrations:write' };
const tags = ['Registrations'];
/** The path member that names a registration. */
export const RegistrationParams = Type.Object({
  registration_id: describedAs(
    Type.String({ description: 'The id of the registration.' }),
    Type.String({ format: 'uuid' }),
  ),
});

/** Dependencies of the registration routes. */
export interface RegistrationRoutesOptions {
  registrations: RegistrationService;
  idempotency: Idempotency;
  /** The address at which a launch token is opened. */
  launchUrl(token: string): string;
  learning: Learning;
  /** Whether learners may return to addresses on loopback. */
  takesLoopback: boolean;
}

/** What registrations need to know about learning. */
export interface Learning {
  /** Returns the units of a registration's latest attempt, and its number. */
  unitsOf(registration: Registration): Promise<{ attempt: number; units: RegistrationUnitRecord[] }>;
  isOpened: IsOpened;
}

/** Registrations in the automation API. */
export function registrationRoutes(routes: Routes, dependencies: RegistrationRoutesOptions): void {
  createRegistrationRoute(routes, dependencies);
  listRegistrationsRoute(routes, dependencies);
  getRegistrationRoute(routes, dependencies);
  deleteRegistrationRoute(routes, dependencies);
  launchRegistrationRoute(routes, dependencies);
  updateRegistrationStatusRoute(routes, dependencies);
}

function createRegistrationRoute(
  routes: Routes,
  { registrations, idempotency }: RegistrationRoutesOptions,
): void {
  routes.post(
    '/registrations',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createRegistration',
        summary: 'Register a learner for a course',
        description:
          'The account must be enabled and have the course, directly or through an equivalent, a bundle or a folder ' +
          '(otherwise 409). A learner can have several registrations for one course. Exactly one of `course_id` and ' +
          '`equivalent_id` is required (otherwise 400). Triggers no event.',
        body: RegistrationInput,
        response: {
          201: RegistrationRecord,
          ...problems(400, { 409: 'The account is disabled or does not have the course.' }, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const lookUp = () => registrations.inputErrors(request.body);
      await assertValidOrLookUp(request, lookUp, subjectErrors(request.body));
      return await idempotency.respond(request, reply, async (tx) => {
        const { account_id: accountId, learner_id: learnerId } = request.body;
        const subject = toSubject(request.body);
        const registration = await registrations.create(
          { accountId, subject, learnerId },
          { by: actorOf(request), tx, mayName: mayName(request) },
        );
        return {
          status: 201,
          headers: {
            Location: `/registrations/${registration.registrationId}`,
            ETag: entityTag(registration.revision),
          },
          body: toRegistrationRecord(registration),
        };
      });
    },
  );
}

function listRegistrationsRoute(routes: Routes, { registrations }: RegistrationRoutesOptions): void {
  routes.get(
    '/registrations',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listRegistrations',
        summary: 'List registrations',
        querystring: RegistrationQuery,
        response: {
          200: PageOf(RegistrationRecord, 'Registrations, oldest first.'),
          ...problems(400),
        },
      },
    },
    async ({ query }) =>
      pageResponse(await registrations.list(toFilter(query), pageRequest(query)), toRegistrationRecord),
  );
}

function getRegistrationRoute(routes: Routes, { registrations, learning }: RegistrationRoutesOptions): void {
  routes.get(
    '/registrations/:registration_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getRegistration',
        summary: 'Read a registration',
        params: RegistrationParams,
        description: 'Includes the units of the course, with the learner’s progress in the latest attempt.',
        response: { 200: RegistrationWithUnitsRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const registration = await registrations.get(registrationIdOf(request.params));
      const learned = await learning.unitsOf(registration);
      return reply
        .header('ETag', entityTag(registration.revision))
        .send({ ...toRegistrationRecord(registration), ...learned });
    },
  );
}

function deleteRegistrationRoute(routes: Routes, { registrations }: RegistrationRoutesOptions): void {
  routes.delete(
    '/registrations/:registration_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteRegistration',
        summary: 'Delete a registration',
        description:
          'Also deletes its results. Its launch URLs stop working. Triggers no event. If its courses stored a lot of data, ' +
          'most of it is deleted first, which can take minutes. If the deletion then fails, the registration still ' +
          'exists without it: delete it again. The deletion continues if the client stops waiting. A repetition returns 404 ' +
          'once the registration is deleted.',
        params: RegistrationParams,
        response: { 204: Type.Null({ description: 'The registration is deleted.' }), ...problems(404, 412) },
      },
    },
    async (request, reply) => {
      await registrations.delete(registrationIdOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

function launchRegistrationRoute(
  routes: Routes,
  { registrations, idempotency, launchUrl, learning, takesLoopback }: RegistrationRoutesOptions,
): void {
  routes.post(
    '/registrations/:registration_id/launch',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'launchRegistration',
        summary: 'Launch a registration',
        description:
          'Returns a URL that opens the course for the learner. The first launch triggers REGISTRATION_LAUNCHED. ' +
          'The account must be enabled and still have the course (otherwise 409). Until a language is set, it must have the equivalent instead.',
        params: RegistrationParams,
        body: LaunchInput,
        response: {
          200: LaunchRecord,
          ...problems(
            400,
            404,
            { 409: 'The account is disabled or no longer has the course or equivalent.' },
            413,
            415,
            422,
          ),
        },
      },
    },
    async (request, reply) => {
      const { returnUrl, language, errors } = readLaunch(request.body, takesLoopback);
      const { isOpened } = learning;
      const id = request.params.registration_id.toLowerCase();
      const lookUp = async () => (isUuid(id) ? registrations.launchErrors(id, { language, isOpened }) : []);
      await assertValidOrLookUp(request, lookUp, errors);
      // Anyone with the link can open it.
      const launch = async (tx: Transaction | undefined) => {
        const { token, expiresAt } = await registrations.launch(registrationIdOf(request.params), {
          by: actorOf(request),
          tx,
          mayName: mayName(request),
          isOpened,
          returnUrl,
          language,
          mode: request.body?.mode ?? 'normal',
        });
        return {
          status: 200,
          body: { launch_url: launchUrl(token), expires_dt: formatDateTime(expiresAt) },
        };
      };
      return await idempotency.respondWithSecret(request, reply, launch, LAUNCH_LIFETIME_MS);
    },
  );
}

function updateRegistrationStatusRoute(routes: Routes, { registrations }: RegistrationRoutesOptions): void {
  routes.put(
    '/registrations/:registration_id/status',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'updateRegistrationStatus',
        summary: 'Update a registration’s status',
        description:
          'Replaces the whole status: omitted members get their defaults. Triggers REGISTRATION_STATUS_UPDATED if ' +
          'completion, success or score changes. A change of duration alone does not.',
        params: RegistrationParams,
        body: StatusInput,
        response: { 200: RegistrationRecord, ...problems(400, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      const registration = await registrations.updateStatus(
        registrationIdOf(request.params),
        toStatus(request.body),
        {
          user: callerOf(request).user,
          by: actorOf(request),
          expected: expectedRevisions(request),
        },
      );
      return reply.header('ETag', entityTag(registration.revision)).send(toRegistrationRecord(registration));
    },
  );
}

/** The id of a registration in a path. RFC 9562 allows capitals in it. */
export function registrationIdOf({ registration_id: text }: { registration_id: string }): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw notFound('registration', text.slice(0, 40));
  return id;
}

/** The members of a launch in canonical form, and its errors beyond its schema, even if it does not match the schema. */
function readLaunch(
  input: unknown,
  takesLoopback: boolean,
): { returnUrl: string | null; language: string | null; errors: InputError[] } {
  const given = givenMembers(input);
  const returnUrl =
    typeof given.return_url === 'string' ? readReturnUrl(given.return_url, takesLoopback) : null;
  const language = typeof given.language === 'string' ? canonicalLanguage(given.language) : null;
  const errors: InputError[] = [];
  if (typeof given.return_url === 'string' && returnUrl === null)
    errors.push({ pointer: '/return_url', detail: returnUrlRule(takesLoopback) });
  if (typeof given.language === 'string' && language === null)
    errors.push({ pointer: '/language', detail: LANGUAGE_RULE });
  return { returnUrl, language, errors };
}

/** Whether the caller may read the names of accounts and content anyway. */
function mayName(request: FastifyRequest): boolean {
  return callerOf(request).scopes.has(READ_SCOPE);
}
