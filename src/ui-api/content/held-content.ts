import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** What a learner can be registered for. */
export const REGISTRABLE_TYPES = ['COURSE', 'EQUIVALENT'] as const;
export type RegistrableType = (typeof REGISTRABLE_TYPES)[number];

/**
 * Whether an account has a course or an equivalent, directly or through what contains it. Reads from the account down, so
 * that a list needs one query; it has to agree with `accountHolds`, which decides about registrations.
 */
export function isHeldBy(type: RegistrableType, accountId: number): RawBuilder<SqlBool> {
  const held = type === 'COURSE' ? sql`held_course` : sql`held_equivalent`;
  return sql`${sql.ref(type === 'COURSE' ? 'courses.id' : 'equivalents.id')} in (
    with recursive given (type, id) as (
      select account_contents.content_type, account_contents.content_id from account_contents
      where account_contents.account_id = ${accountId}
    ), held_folder (id) as (
      select given.id from given where given.type = 'FOLDER'
      union
      select below.id from held_folder join folders as below on below.parent_id = held_folder.id
    ), held_bundle (id) as (
      select given.id from given where given.type = 'BUNDLE'
      union
      select b.id from held_folder join bundles as b on b.folder_id = held_folder.id
    ), held_equivalent (id) as (
      select given.id from given where given.type = 'EQUIVALENT'
      union
      select e.id from held_folder join equivalents as e on e.folder_id = held_folder.id
      union
      select c.content_id from held_bundle join bundle_contents as c on c.bundle_id = held_bundle.id
      where c.content_type = 'EQUIVALENT'
    ), held_course (id) as (
      select given.id from given where given.type = 'COURSE'
      union
      select c.id from held_folder join courses as c on c.folder_id = held_folder.id
      union
      select c.content_id from held_bundle join bundle_contents as c on c.bundle_id = held_bundle.id
      where c.content_type = 'COURSE'
      union
      select c.course_id from held_equivalent join equivalent_courses as c
        on c.equivalent_id = held_equivalent.id
    )
    select id from ${held})`;
}
