import type { Database } from '../../database/database.ts';
import { installationOf } from '../../database/installation.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { ContentStore } from './content-store.ts';
import { ContentStoreError } from './open-content-store.ts';
import { statusOf } from './s3-failures.ts';

/**
 * Ensures that a store that others can reach belongs to this database. Two installations with one store would each
 * treat the other's files as orphans, and a share that is not mounted would look like an empty store. The first startup
 * writes the installation's id into the store, and later ones compare it.
 * @throws {ContentStoreError} if it cannot be reached, belongs to another installation, or lacks the files that the
 *   database names
 */
export async function claimContentStore(database: Database, store: ContentStore): Promise<void> {
  const installation = await installationOf(database);
  let owner = await ownerOf(store);
  if (owner === null) {
    const newest = await newestContentKey(database);
    if (newest !== null && !(await store.has(newest))) {
      throw new ContentStoreError(
        `the content_store ${store.location} does not hold the files of the courses in this database: ` +
          'is the share mounted, and is the setting right? To move the files, copy all of them there first',
      );
    }
    owner = await store.claim(installation);
  }
  if (owner !== installation) {
    throw new ContentStoreError(
      `the content_store ${store.location} belongs to another installation; give each one a folder or prefix of its own`,
    );
  }
}

/** @throws {ContentStoreError} with the reason, for the operator who starts the service */
async function ownerOf(store: ContentStore): Promise<string | null> {
  try {
    return await store.owner();
  } catch (error) {
    const cause = error instanceof ProblemError ? error.cause : error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    const status = statusOf(cause);
    const answer = status === undefined ? '' : ` (it answered ${status})`;
    throw new ContentStoreError(`the content_store ${store.location} cannot be reached: ${reason}${answer}`, {
      cause,
    });
  }
}

async function newestContentKey(database: Database): Promise<string | null> {
  const row = await database.reader.query
    .selectFrom('course_versions')
    .select('course_versions.content_key')
    .orderBy('course_versions.course_id', 'desc')
    .orderBy('course_versions.version_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.content_key ?? null;
}
