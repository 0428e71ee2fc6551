import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { ListPart, LongListed } from '../list-query.ts';
import { readLongList } from '../read-list.ts';

export const REGISTRATION_SORTS = ['created', 'updated'] as const;
export type RegistrationSort = (typeof REGISTRATION_SORTS)[number];

/** How far a learner got: `in_progress` is launched and not completed. */
export const REGISTRATION_STATES = ['not_launched', 'in_progress', 'completed', 'passed', 'failed'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];

/** Which registrations a list holds: those that fit every member that is not null. */
export interface RegistrationFilter {
  accountId: number | null;
  courseId: number | null;
  learnerId: string | null;
  status: RegistrationState | null;
}

export interface ListedRegistration {
  registration_id: string;
  account_id: number;
  account_name: string | null;
  course_id: number;
  course_name: string | null;
  version_id: number;
  learner_id: string;
  completion: string;
  success: string;
  score: number | null;
  duration: number;
  completed_at: number | null;
  launched_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A page of the registrations that fit. */
export async function listRegistrations(
  reader: Reader,
  { accountId, courseId, learnerId, status }: RegistrationFilter,
  part: ListPart<RegistrationSort>,
): Promise<LongListed<ListedRegistration>> {
  let filtered = reader.query.selectFrom('registrations');
  if (accountId !== null) filtered = filtered.where('registrations.account_id', '=', accountId);
  if (courseId !== null) filtered = filtered.where('registrations.course_id', '=', courseId);
  if (learnerId !== null) filtered = filtered.where('registrations.learner_id', '=', learnerId);
  switch (status) {
    case 'not_launched':
      filtered = filtered.where('registrations.launched_at', 'is', null);
      break;
    case 'in_progress':
      filtered = filtered
        .where('registrations.launched_at', 'is not', null)
        .where('registrations.completion', '<>', 'Completed');
      break;
    case 'completed':
      filtered = filtered.where('registrations.completion', '=', 'Completed');
      break;
    case 'passed':
      filtered = filtered.where('registrations.success', '=', 'PASS');
      break;
    case 'failed':
      filtered = filtered.where('registrations.success', '=', 'FAIL');
  }
  const rows = filtered
    .leftJoin('accounts', 'accounts.id', 'registrations.account_id')
    .leftJoin('courses', 'courses.id', 'registrations.course_id')
    .select([
      'registrations.registration_id',
      'registrations.account_id',
      'accounts.name as account_name',
      'registrations.course_id',
      'courses.name as course_name',
      'registrations.version_id',
      'registrations.learner_id',
      'registrations.completion',
      'registrations.success',
      'registrations.score',
      'registrations.duration',
      'registrations.completed_at',
      'registrations.launched_at',
      'registrations.created_at',
      'registrations.updated_at',
    ]);
  // They are numbered as they are made.
  const number = sql<number>`registrations.number`;
  const by = part.sort === 'created' ? number : sql`registrations.updated_at`;
  return await readLongList(rows, filtered, { by, id: number }, part);
}
