import type {
  LaunchRecord as Launch,
  LaunchInput,
  RegistrationRecord as Registration,
  RegistrationInput,
  RegistrationUnitRecord as RegistrationUnit,
  RegistrationWithUnitsRecord as RegistrationWithUnits,
} from '../../../src/content/registrations/registration-schemas.ts';
import type {
  RuntimeRecord as Runtime,
  StatementRecord as Statement,
} from '../../../src/player/learning/learning-schemas.ts';
import type { RegistrationOverview } from '../../../src/ui-api/content/account-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { type CursorPage, pageQuery, pagesQuery, recordQuery } from './queries.ts';
import { deleteIfPresent, LONG_DELETION_MS, type Read, replaceRecord, request } from './request.ts';

export {
  COMPLETIONS,
  type Completion,
  REGISTRATION_LAUNCH_MODES,
  type RegistrationLaunchMode,
  SUCCESSES,
  type Success,
} from '../../../src/content/registrations/registration.ts';
export {
  REGISTRATION_SORTS,
  REGISTRATION_STATES,
} from '../../../src/ui-api/content/registration-list-choices.ts';
export type {
  Launch,
  Registration,
  RegistrationOverview,
  RegistrationUnit,
  RegistrationWithUnits,
  Runtime,
  Statement,
};

/** A learner's attempt at a course, and the data of its units. */
export type Attempt = Runtime['attempts'][number];
export type AttemptUnit = Attempt['units'][number];

/** A learner's results, as they are set manually. */
export type RegistrationStatus = Pick<Registration, 'completion' | 'success' | 'score' | 'duration'>;

/** How often an open registration is refreshed, because learners may be working on it. */
const REGISTRATION_MS = 5_000;
const STATEMENTS_PER_PAGE = 25;
const REGISTRATIONS_PER_PAGE = 100;

/** All queries about registrations, which are repeated after a change. */
export const registrationsKey = ['registrations'] as const;

export const registrationListQuery = (query: object) =>
  pageQuery<ListResponse<RegistrationOverview>>(
    [...registrationsKey, 'list', query],
    withQuery('/ui/api/registrations', query),
  );

/** The record with its `ETag`. */
export const registrationQuery = (id: string) =>
  recordQuery<RegistrationWithUnits>(
    [...registrationsKey, id],
    `/registrations/${encodeURIComponent(id)}`,
    REGISTRATION_MS,
  );

/** Excuses the learner from a unit of a cmi5 course. */
export function waiveUnit(id: string, body: { unit_id: string; reason: string }): Promise<Registration> {
  return request('POST', `/registrations/${encodeURIComponent(id)}/waive`, { body });
}

/** The data that the course reported in each attempt, latest attempt first, page by page. */
export const runtimeQuery = (id: string) =>
  pagesQuery<Runtime>(
    [...registrationsKey, id, 'runtime'],
    (cursor) => withQuery(`/registrations/${encodeURIComponent(id)}/runtime`, { order: 'desc', cursor }),
    REGISTRATION_MS,
  );

/** The attempts of several pages. A page may continue the last attempt of the page before it. */
export function attemptsOf(pages: readonly Runtime[]): Attempt[] {
  const attempts: Attempt[] = [];
  for (const part of pages.flatMap((page) => page.attempts)) {
    const last = attempts.at(-1);
    if (last?.attempt === part.attempt) {
      attempts[attempts.length - 1] = { ...last, units: [...last.units, ...part.units] };
    } else attempts.push(part);
  }
  return attempts;
}

/** The statements of a cmi5 or xAPI course, oldest first, page by page. */
export const statementsQuery = (id: string) =>
  pagesQuery<CursorPage<Statement>>([...registrationsKey, id, 'statements'], (cursor) =>
    withQuery(`/registrations/${encodeURIComponent(id)}/statements`, {
      limit: STATEMENTS_PER_PAGE,
      cursor,
    }),
  );

export function createRegistration(body: RegistrationInput, idempotencyKey: string): Promise<Registration> {
  return request('POST', '/registrations', { body, idempotencyKey });
}

/** Whether a learner is registered for exactly this course or equivalent through the account. */
export async function isRegistered(
  accountId: number,
  { type, id }: { type: 'COURSE' | 'EQUIVALENT'; id: number },
  learnerId: string,
): Promise<boolean> {
  const query = {
    account_id: accountId,
    learner_id: learnerId,
    limit: REGISTRATIONS_PER_PAGE,
    ...(type === 'COURSE' ? { course_id: id } : {}),
  };
  for (let cursor: string | null = null; ; ) {
    const path: string = withQuery('/registrations', cursor === null ? query : { ...query, cursor });
    const page: CursorPage<Registration> = await request('GET', path);
    const isFound = page.data.some(({ course_id, equivalent_id }) =>
      type === 'COURSE' ? course_id === id && equivalent_id === null : equivalent_id === id,
    );
    if (isFound || page.next_cursor === null) return isFound;
    cursor = page.next_cursor;
  }
}

/** Rejected (412) if it was changed since `etag` was read. Returns the saved record with its `ETag`. */
export function updateRegistrationStatus(
  id: string,
  body: RegistrationStatus,
  etag: string | null,
): Promise<Read<Registration>> {
  return replaceRecord(`/registrations/${id}/status`, { body, ifMatch: etag });
}

export function launchRegistration(
  id: string,
  body: Pick<NonNullable<LaunchInput>, 'mode' | 'language'>,
  idempotencyKey: string,
): Promise<Launch> {
  return request('POST', `/registrations/${id}/launch`, { body, idempotencyKey });
}

/** Ends the attempt. The next launch starts another. */
export function resetRegistration(id: string): Promise<Registration> {
  return request('POST', `/registrations/${id}/reset`);
}

export function deleteRegistration(id: string): Promise<void> {
  return deleteIfPresent(`/registrations/${id}`, { deadlineMs: LONG_DELETION_MS });
}
