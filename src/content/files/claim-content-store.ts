import type { Database } from '../../database/database.ts';
import { installationOf } from '../../database/installation.ts';
import type { Logger } from '../../observability/log.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { ContentStore } from './content-store.ts';
import { ContentStoreError } from './open-content-store.ts';
import { statusOf } from './s3-failures.ts';
import { storeFailureReason } from './store-failure.ts';

/** The number of the newest versions that are searched for in a store that was used before. */
const KEYS_LOOKED_AT = 20;
/** The number of courses that are searched for if none of those is there: the oldest, the newest, and some between. */
const SAMPLE_SIZE = 20;
const HTTP_FORBIDDEN = 403;
const POLICY_ADVICE = 'docs/operating.md, "Content files", shows the policy that the credentials need';

/**
 * Ensures that a store that others can reach belongs to this database. Two installations with one store would each
 * treat the other's files as orphans, and a share that is not mounted would look like an empty store. The first start
 * writes the installation's id into the store, and later ones compare it.
 *
 * | owner in the store | files in the store | result |
 * | --- | --- | --- |
 * | another installation | any | refused |
 * | none: the first start | not of the newest version | refused |
 * | | some, while the database has no course | refused |
 * | | not of all versions, as after a copy that was interrupted | claimed with a warning |
 * | this installation | of none of the versions that are looked at | refused |
 * | | of older versions alone, as after a restore from an older copy | accepted with a warning |
 *
 * @throws {ContentStoreError} if it is refused, or cannot be reached, read or written
 */
export async function claimContentStore(
  database: Database,
  store: ContentStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const installation = await installationOf(database);
  const formerOwner = await ownerOf(store);
  if (formerOwner === null) await assertReadyForFirstStart(database, store, log);
  if (formerOwner === installation) await assertHoldsFiles(database, store, log);
  // Another installation may have claimed it in the meantime.
  const owner = formerOwner ?? (await explaining(store, 'written', () => store.claim(installation)));
  if (owner !== installation) {
    throw new ContentStoreError(
      `the content_store ${store.location} belongs to another installation; give each one a folder or prefix of its own. ` +
        'If this is a copy made for this installation alone, delete the file coursewire-installation in it',
    );
  }
  store.expectOwner(installation);
}

/** A place without an owner may be the folder where a share is mounted later, so it must hold the newest files. */
async function assertReadyForFirstStart(
  database: Database,
  store: ContentStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const newest = await newestContentKeys(database, 1);
  if (newest.length === 0) {
    if (!(await hasFiles(store))) return;
    throw new ContentStoreError(
      `the content_store ${store.location} has course files, but this database has no course: are database_url and ` +
        'data_dir right? Start with the database of these files, or give a new installation a folder or prefix of its own',
    );
  }
  if (!(await hasAny(store, newest))) throw lacksFiles(store);
  await warnIfIncomplete(database, store, log);
}

async function assertHoldsFiles(
  database: Database,
  store: ContentStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const held = await heldVersions(database, store);
  if (held === 'newest') return;
  if (held === 'none') throw lacksFiles(store);
  log.warn(
    'the content_store lacks the files of the newest versions of courses: copy them there. Without them, upload these versions again; learners of the missing versions cannot continue',
    { content_store: store.location },
  );
}

function lacksFiles({ location }: ContentStore): ContentStoreError {
  return new ContentStoreError(
    `the content_store ${location} does not hold the files of the courses in this database: ` +
      'is the share mounted, and is the setting right? To move the files, copy all of them there first',
  );
}

/**
 * Ensures that the store in the data folder belongs to the embedded database alone, whose service removes all files that
 * the database does not name. A service on PostgreSQL, or one with a shared store, has written its installation's id there.
 * If that is the id of this database, then this is the database from before a move.
 * @param log gets a warning if the store has no files of courses, as without `content_store` after a move
 * @throws {ContentStoreError} if others use it, or used it last
 */
export async function assertOwnContentStore(
  database: Database,
  store: ContentStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const owner = await ownerOf(store);
  if (owner === null) return await warnIfEmpty(database, store, log);
  if (owner !== (await installationOf(database))) {
    throw new ContentStoreError(
      `the course files in ${store.location} belong to another installation: set database_url if it uses PostgreSQL, or ` +
        'set data_dir to another folder. Or, to keep the database in data_dir (PostgreSQL was only tried, for example), ' +
        'delete the file coursewire-installation in that folder: all newer files that this database does not name are then removed',
    );
  }
  throw new ContentStoreError(
    `the course files in ${store.location} were used with PostgreSQL or as a content_store, so this database may lack ` +
      'their newest courses: set database_url or content_store as before. If you moved back to this database ' +
      'deliberately, delete the file coursewire-installation in that folder',
  );
}

async function warnIfEmpty(
  database: Database,
  store: ContentStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if ((await heldVersions(database, store)) !== 'none') return;
  log.warn(
    'the data folder lacks the files of the courses in this database, so no course opens: set content_store if it was set before, or copy the files there from a backup',
    { folder: store.location },
  );
}

/** Only the first start looks at all versions, because that takes long with many. */
async function warnIfIncomplete(
  database: Database,
  store: ContentStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const versions = await database.reader.query.selectFrom('course_versions').select('content_key').execute();
  const held = new Set(await explaining(store, 'read', () => Array.fromAsync(store.keys())));
  const missing = versions.filter(({ content_key }) => !held.has(content_key)).length;
  if (missing === 0) return;
  log.warn(
    `the content_store lacks the files of ${missing} of ${versions.length} versions of courses: copy them there from the former store`,
    { content_store: store.location },
  );
}

/** The versions of courses whose files a store holds, judged by a few. `newest` also if there are no courses. */
async function heldVersions(database: Database, store: ContentStore): Promise<'newest' | 'older' | 'none'> {
  const newest = await newestContentKeys(database, KEYS_LOOKED_AT);
  if (newest.length === 0 || (await hasAny(store, newest))) return 'newest';
  return (await hasAny(store, await sampledContentKeys(database))) ? 'older' : 'none';
}

async function hasFiles(store: ContentStore): Promise<boolean> {
  return await explaining(store, 'read', async () => {
    for await (const _key of store.keys()) return true;
    return false;
  });
}

async function ownerOf(store: ContentStore): Promise<string | null> {
  return await explaining(store, 'reached', () => store.owner());
}

async function hasAny(store: ContentStore, keys: readonly string[]): Promise<boolean> {
  return await explaining(store, 'read', async () => {
    for (const key of keys) if (await store.has(key)) return true;
    return false;
  });
}

/** @throws {ContentStoreError} with the reason why the work failed, for the operator who starts the service */
async function explaining<T>(
  store: ContentStore,
  what: 'reached' | 'read' | 'written',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof ProblemError ? error.cause : error;
    const reason = storeFailureReason(cause);
    const advice = statusOf(cause) === HTTP_FORBIDDEN ? `. ${POLICY_ADVICE}` : '';
    throw new ContentStoreError(`the content_store ${store.location} cannot be ${what}: ${reason}${advice}`, {
      cause,
    });
  }
}

async function newestContentKeys(database: Database, limit: number): Promise<string[]> {
  const rows = await database.reader.query
    .selectFrom('course_versions')
    .select('course_versions.content_key')
    .orderBy('course_versions.course_id', 'desc')
    .orderBy('course_versions.version_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ content_key }) => content_key);
}

/** The keys of a version each of courses whose ids are distributed evenly, oldest first. */
async function sampledContentKeys({ reader }: Database): Promise<string[]> {
  const ends = await reader.query
    .selectFrom('course_versions')
    .select((eb) => [
      eb.fn.min('course_versions.course_id').as('first'),
      eb.fn.max('course_versions.course_id').as('last'),
    ])
    .executeTakeFirstOrThrow();
  const [first, last] = [Number(ends.first ?? 0), Number(ends.last ?? 0)];
  const keys = new Set<string>();
  for (let n = 0; n < SAMPLE_SIZE; n++) {
    const from = first + Math.floor(((last - first) * n) / (SAMPLE_SIZE - 1));
    const row = await reader.query
      .selectFrom('course_versions')
      .select('course_versions.content_key')
      .where('course_versions.course_id', '>=', from)
      .orderBy('course_versions.course_id')
      .orderBy('course_versions.version_id')
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) keys.add(row.content_key);
  }
  return [...keys];
}
