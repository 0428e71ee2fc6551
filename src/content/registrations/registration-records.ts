import type { InputError } from '../../problems/problem.ts';
import { formatDateTime, formatOptionalDateTime, parseDateTime } from '../../time/date-time.ts';
import type { Registration, RegistrationFilter, RegistrationStatus } from './registration.ts';
import type { RegistrationQuery, RegistrationRecord, StatusInput } from './registration-schemas.ts';

/** A registration as the API gives it. */
export function toRegistrationRecord(registration: Registration): RegistrationRecord {
  return {
    registration_id: registration.registrationId,
    account_id: registration.accountId,
    course_id: registration.courseId,
    version_id: registration.versionId,
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

/** What is wrong with a status beyond its schema; also of one that does not fit the schema. */
export function statusErrors(input: unknown): InputError[] {
  const value = (input as { completion_dt?: unknown } | null | undefined)?.completion_dt;
  if (typeof value !== 'string' || parseDateTime(value) !== null) return [];
  return [
    {
      pointer: '/completion_dt',
      detail: 'must be an ISO 8601 date and time with a time zone, such as 2026-01-31T09:30:00Z',
    },
  ];
}

/** The status that a valid input means: what is left out takes its default. */
export function toStatus(input: StatusInput): RegistrationStatus {
  return {
    completion: input.completion,
    success: input.success,
    score: input.score ?? null,
    duration: input.duration ?? 0,
    completedAt: input.completion_dt == null ? null : parseDateTime(input.completion_dt),
  };
}

/** The filter that a list's query means. */
export function toFilter(query: RegistrationQuery): RegistrationFilter {
  return {
    accountId: query.account_id ?? null,
    courseId: query.course_id ?? null,
    learnerId: query.learner_id ?? null,
  };
}
