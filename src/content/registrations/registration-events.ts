import type { Transaction } from '../../database/database.ts';
import type {
  AccountResource,
  ContentReference,
  EventOf,
  RegistrationResource,
  RegistrationStatusResource,
} from '../../events/event.ts';
import { notFound } from '../../problems/problem.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import { withHolders } from '../assets/holdings.ts';
import { readCourseInEvent } from '../courses/course-in-event.ts';
import type { Registration, RegistrationStatus } from './registration.ts';

/** The event of the first launch. The learner is its user. */
export async function launchedEvent(
  tx: Transaction,
  account: AccountResource,
  registration: Registration,
): Promise<EventOf<'REGISTRATION_LAUNCHED'>> {
  return {
    ...(await membersOf(tx, account, registration, toRegistrationResource(registration))),
    subtopic: 'REGISTRATION_LAUNCHED',
    user: registration.learnerId,
  };
}

/** The event of a changed result. */
export async function statusEvent(
  tx: Transaction,
  account: AccountResource,
  registration: Registration,
  user: string,
): Promise<EventOf<'REGISTRATION_STATUS_UPDATED'>> {
  return {
    ...(await membersOf(tx, account, registration, toStatusResource(registration))),
    subtopic: 'REGISTRATION_STATUS_UPDATED',
    user,
  };
}

/** Whether a change is an event. A change of duration alone is not. */
export function changesResult(before: RegistrationStatus, after: RegistrationStatus): boolean {
  return (
    after.completion !== before.completion || after.success !== before.success || after.score !== before.score
  );
}

/** The members that all events of a registration have. */
async function membersOf<R extends RegistrationResource>(
  tx: Transaction,
  account: AccountResource,
  { accountId, courseId, versionId, equivalentId }: Registration,
  registration: R,
) {
  // Webhooks of the equivalent get all events of the registration, even after its courses were replaced.
  const equivalent: ContentReference[] =
    equivalentId === null ? [] : [{ type: 'EQUIVALENT', id: equivalentId }];
  const [course, content] = await Promise.all([
    readCourseInEvent(tx, courseId, versionId),
    withHolders(tx, [...equivalent, { type: 'COURSE', id: courseId }]),
  ]);
  if (course === undefined) throw notFound('course', courseId);
  return { resource: { account, content: { course }, registration }, accountId, content };
}

function toRegistrationResource(registration: Registration): RegistrationResource {
  return {
    account_id: registration.accountId,
    registration_id: registration.registrationId,
    course_id: registration.courseId,
    learner_id: registration.learnerId,
  };
}

function toStatusResource(registration: Registration): RegistrationStatusResource {
  return {
    ...toRegistrationResource(registration),
    completion: registration.completion,
    success: registration.success,
    score: registration.score,
    duration: registration.duration,
    completion_dt: formatOptionalDateTime(registration.completedAt),
  };
}
