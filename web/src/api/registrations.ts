import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { withQuery } from './addresses.ts';
import type { PageOf } from './page-of.ts';
import { LIST_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';

export const COMPLETIONS = ['Completed', 'Incomplete', 'Unknown'] as const;
export type Completion = (typeof COMPLETIONS)[number];

export const SUCCESSES = ['PASS', 'FAIL', 'UNKNOWN'] as const;
export type Success = (typeof SUCCESSES)[number];

/** How far a learner got, as the list can be filtered by. */
export const REGISTRATION_STATES = ['not_launched', 'in_progress', 'completed', 'passed', 'failed'] as const;

/** The orders of the list of registrations. */
export const REGISTRATION_SORTS = ['created', 'updated'] as const;

/** A learner's results. */
export interface RegistrationStatus {
  completion: Completion;
  success: Success;
  /** 0 to 100. */
  score: number | null;
  /** Whole seconds. */
  duration: number;
}

export interface Registration extends RegistrationStatus {
  registration_id: string;
  account_id: number;
  course_id: number;
  version_id: number;
  learner_id: string;
  completion_dt: string | null;
  launched_dt: string | null;
  created_dt: string;
  updated_dt: string;
}

/** A registration as the list shows it. */
export type RegistrationOverview = Registration & { account_name: string | null; course_name: string | null };

/** A link that opens the course for the learner. */
export interface Launch {
  launch_url: string;
  expires_dt: string;
}

/** How often an open registration asks again: learners are working on it. */
const REGISTRATION_MS = 5_000;

/** All that is known of registrations, to be read anew after a change. */
export const registrationsKey = ['registrations'] as const;

export const registrationListQuery = (query: object) =>
  queryOptions({
    queryKey: [...registrationsKey, 'list', query],
    queryFn: ({ signal }) =>
      request<PageOf<RegistrationOverview>>('GET', withQuery('/ui/api/registrations', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(LIST_MS),
  });

/** The record with its `ETag`. */
export const registrationQuery = (id: string) =>
  queryOptions({
    queryKey: [...registrationsKey, id],
    queryFn: ({ signal }) => readRecord<Registration>(`/registrations/${encodeURIComponent(id)}`, signal),
    ...polling(REGISTRATION_MS),
  });

export function createRegistration(
  body: { account_id: number; course_id: number; learner_id: string },
  idempotencyKey: string,
): Promise<Registration> {
  return request('POST', '/registrations', { body, idempotencyKey });
}

/** Refused (412) when it was changed since `etag` was read. */
export function updateRegistrationStatus(
  id: string,
  body: RegistrationStatus,
  etag: string | null,
): Promise<Registration> {
  return request('PUT', `/registrations/${id}/status`, { body, ...(etag === null ? {} : { ifMatch: etag }) });
}

export function launchRegistration(id: string, idempotencyKey: string): Promise<Launch> {
  return request('POST', `/registrations/${id}/launch`, { idempotencyKey });
}

export function deleteRegistration(id: string): Promise<void> {
  return request('DELETE', `/registrations/${id}`);
}
