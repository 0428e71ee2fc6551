import { givenTime } from '../../http/given.ts';
import type { InputError } from '../../problems/problem.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import type { Subject } from './entitlement.ts';
import type { Registration, RegistrationFilter, RegistrationStatus } from './registration.ts';
import type {
  RegistrationInput,
  RegistrationQuery,
  RegistrationRecord,
  StatusInput,
} from './registration-schemas.ts';

/** A registration as the API returns it. */
export function toRegistrationRecord(registration: Registration): RegistrationRecord {
  return {
    registration_id: registration.registrationId,
    account_id: registration.accountId,
    course_id: registration.courseId,
    version_id: registration.versionId,
    equivalent_id: registration.equivalentId,
    language: registration.language,
    learner_id: registration.learnerId,
    completion: registration.completion,
    success: registration.success,
    score: registration.score,
    duration: registration.duration,
    completion_dt: formatOptionalDateTime(registration.completedAt),
    launched_dt: formatOptionalDateTime(registration.launchedAt),
    created_dt: formatDateTime(registration.createdAt),
    updated_dt: formatDateTime(registration.updatedAt),
  };
}

/** Converts valid input to a status. Omitted members get their defaults. */
export function toStatus(input: StatusInput): RegistrationStatus {
  return {
    completion: input.completion,
    success: input.success,
    score: input.score ?? null,
    duration: input.duration ?? 0,
    completedAt: givenTime(input.completion_dt),
  };
}

/** Converts the query of a list to a filter. */
export function toFilter(query: RegistrationQuery): RegistrationFilter {
  return {
    accountId: query.account_id ?? null,
    courseId: query.course_id ?? null,
    equivalentId: query.equivalent_id ?? null,
    learnerId: query.learner_id ?? null,
  };
}

/** Errors in the account, course or equivalent of an input beyond its schema, even if it does not match the schema. */
export function subjectErrors(input: unknown): InputError[] {
  const { course_id: course, equivalent_id: equivalent } = (input ?? {}) as Partial<RegistrationInput>;
  if (course === undefined && equivalent === undefined) {
    return [{ pointer: '/course_id', detail: 'is required, unless equivalent_id is given' }];
  }
  if (course === undefined || equivalent === undefined) return [];
  return [{ pointer: '/equivalent_id', detail: 'cannot be combined with course_id' }];
}

/** The course or equivalent of a valid input. */
export function toSubject({ course_id: course, equivalent_id: equivalent }: RegistrationInput): Subject {
  return equivalent === undefined ? { type: 'COURSE', id: course! } : { type: 'EQUIVALENT', id: equivalent };
}
