import { sql } from 'kysely';
import { hasOwner, type OwnerFilter, ofOwners } from '../../content/registrations/owner-filter.ts';
import type { Reader } from '../../database/database.ts';
import type { ListPart, LongListed } from '../list-query.ts';
import { countUpToBound, exceedsBound, readLongListOfIds } from '../read-list.ts';
import { learnerStartsWith } from './learner-search.ts';
import type { RegistrationSort, RegistrationState } from './registration-list-choices.ts';

/** Filters of the list of registrations, all of which must match. Null members are ignored. */
export interface RegistrationFilter extends OwnerFilter {
  learnerId: string | null;
  /** The start of the learner's id. */
  search: string | null;
  status: RegistrationState | null;
}

export interface ListedRegistration {
  /** Its position in the order of creation. */
  id: number;
  registration_id: string;
  account_id: number;
  account_name: string | null;
  course_id: number;
  course_name: string | null;
  version_id: number;
  equivalent_id: number | null;
  equivalent_name: string | null;
  /** The language of an equivalent; null until one is chosen. */
  language: string | null;
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

/** A page of the matching registrations. */
export async function listRegistrations(
  reader: Reader,
  filter: RegistrationFilter,
  part: ListPart<RegistrationSort>,
): Promise<LongListed<ListedRegistration>> {
  // Ids follow the order of creation.
  const number = sql<number>`registrations.number`;
  const by = part.sort === 'created' ? number : sql<number>`registrations.updated_at`;
  const order = { by, id: number };
  const from = { reader, rowsOf: (numbers: number[]) => readRows(reader, numbers) };
  if (filter.search === null) {
    const filtered = filteredBy(reader, filter, { isByLearner: filter.learnerId !== null });
    return await readLongListOfIds(from, filtered, order, part);
  }
  const { fromIndex, byRow } = learnerStartsWith(reader.dialect, filter.search);
  const beginAlike = reader.query.selectFrom('registrations').where(fromIndex);
  if (hasOwner(filter) && (await exceedsBound(beginAlike)))
    return await readLongListOfIds(from, filteredBy(reader, filter).where(byRow), order, part);
  const found = filteredBy(reader, filter, { isByLearner: true }).where(fromIndex);
  const counted = await countUpToBound(reader, found);
  // If few match, they are found by the index and then sorted. If many match, walking the index of the order finds a
  // page quickly; sorting 50,000 takes 50 ms. `+ 0` keeps the engine from choosing the other way.
  return counted.totalIsLowerBound
    ? await readLongListOfIds(from, filteredBy(reader, filter).where(byRow), order, part, counted)
    : await readLongListOfIds(from, found, { ...order, by: sql`${by} + 0` }, part, counted);
}

/** @param options.isByLearner whether to use the index of learners */
function filteredBy(reader: Reader, filter: RegistrationFilter, { isByLearner = false } = {}) {
  const { learnerId, status } = filter;
  let filtered = reader.query.selectFrom('registrations').where(ofOwners(filter, { isByLearner }));
  if (learnerId !== null) filtered = filtered.where('registrations.learner_id', '=', learnerId);
  switch (status) {
    case 'not_launched':
      return filtered
        .where('registrations.launched_at', 'is', null)
        .where('registrations.completion', '=', 'Unknown')
        .where('registrations.success', '=', 'UNKNOWN');
    case 'in_progress':
      return filtered
        .where((is) =>
          is.or([
            is('registrations.launched_at', 'is not', null),
            is('registrations.completion', '<>', 'Unknown'),
          ]),
        )
        .where('registrations.completion', '<>', 'Completed')
        .where('registrations.success', '=', 'UNKNOWN');
    case 'completed':
      return filtered.where('registrations.completion', '=', 'Completed');
    case 'passed':
      return filtered.where('registrations.success', '=', 'PASS');
    case 'failed':
      return filtered.where('registrations.success', '=', 'FAIL');
    case null:
      return filtered;
  }
}

async function readRows({ query }: Pick<Reader, 'query'>, numbers: number[]): Promise<ListedRegistration[]> {
  return await query
    .selectFrom('registrations')
    .where('registrations.number', 'in', numbers)
    .leftJoin('accounts', 'accounts.id', 'registrations.account_id')
    .leftJoin('courses', 'courses.id', 'registrations.course_id')
    .leftJoin('equivalents', 'equivalents.id', 'registrations.equivalent_id')
    .select([
      'registrations.number as id',
      'registrations.registration_id',
      'registrations.account_id',
      'accounts.name as account_name',
      'registrations.course_id',
      'courses.name as course_name',
      'registrations.version_id',
      'registrations.equivalent_id',
      'equivalents.name as equivalent_name',
      'registrations.language',
      'registrations.learner_id',
      'registrations.completion',
      'registrations.success',
      'registrations.score',
      'registrations.duration',
      'registrations.completed_at',
      'registrations.launched_at',
      'registrations.created_at',
      'registrations.updated_at',
    ])
    .execute();
}
