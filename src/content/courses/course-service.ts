import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { STRUCTURE_FORMAT } from '../../course-packages/course-structure.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import type { ContentReference, EventPublisher } from '../../events/event.ts';
import { type InputError, invalidInput, notFound } from '../../problems/problem.ts';
import { assertRevision } from '../../problems/revision.ts';
import type { ChangeContext, ChangeContextOf, EventlessChangeOf } from '../assets/change.ts';
import type { OnDeleted } from '../assets/deletion.ts';
import {
  folderErrors,
  lockExistingFolder,
  noSuchFolder,
  ROOT_FOLDER,
  readFolderChain,
} from '../assets/folder-tree.ts';
import { givenMembers } from '../assets/given-members.ts';
import { assertNotHeld, type Holder } from '../assets/holder.ts';
import { readFoldersOf } from '../assets/holdings-store.ts';
import type { Course, CourseWithVersions } from './course.ts';
import { readCourseInEvent } from './course-in-event.ts';
import { courseNameFrom } from './course-name.ts';
import { requireCourse, requireLockedCourse, toCourse, toVersion } from './course-rows.ts';
import {
  deleteCourse,
  hasVersion,
  insertCourse,
  insertVersion,
  readCourses,
  readVersions,
  updateCourse,
} from './course-store.ts';
import type { FileRemoval } from './file-removal.ts';
import type { PackageIntake, StoredPackage } from './package-intake.ts';
import type { UploadFolder } from './upload-folders.ts';

/** The id of an imported version. */
const FIRST_VERSION = 0;
/** Maximum number of versions in a response. */
const MAX_VERSIONS_READ = 1_000;

/** The user who uploads, and the steps that follow the upload. */
export interface UploadContext<R> {
  user: string;
  by: Actor;
  /** Aborted when the uploader disconnects. */
  signal: AbortSignal;
  /**
   * Called when the package is in the content store, to record the course or version, with or without an open
   * transaction. Files that it does not record are removed.
   */
  commit: (record: (tx?: Transaction) => Promise<Course>) => Promise<R>;
}

/** Dependencies of {@link CourseService}. */
export interface CourseServiceDependencies {
  database: Database;
  events: EventPublisher<Transaction>;
  intake: PackageIntake;
  files: FileRemoval;
  /** Checked before a course is deleted, one for each kind of thing that can contain courses. */
  holders: readonly Holder[];
  onDeleted: OnDeleted;
  now: () => number;
}

/** Courses and their versions, and the events of topic COURSE. */
export class CourseService {
  readonly #with: CourseServiceDependencies;

  constructor(dependencies: CourseServiceDependencies) {
    this.#with = dependencies;
  }

  /** The errors in what a body or form refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    return await folderErrors(this.#with.database.reader, 'folder_id', givenMembers(input).folder_id);
  }

  /**
   * Creates a course from an uploaded package with version 0 published, and publishes COURSE_IMPORTED.
   * @param input the name defaults to the title of the package, the folder to the root
   * @throws {ProblemError} `invalid-request` if the folder does not exist, and as {@link PackageIntake.take}
   */
  async import<R>(
    upload: UploadFolder,
    input: { name: string | null; folderId: number | null },
    { user, by, signal, commit }: UploadContext<R>,
  ): Promise<R> {
    const folderId = input.folderId ?? ROOT_FOLDER.id;
    // The folder is checked again with the import. This check avoids unpacking a package that cannot be imported.
    if ((await readFolderChain(this.#with.database.reader, folderId)).length === 0)
      throw invalidInput([noSuchFolder('folder_id', folderId)]);
    return await this.#with.intake.take(upload, { caller: user, signal }, (stored) =>
      commit((open) =>
        inTransaction(this.#with.database, open, async (tx) => {
          if (!(await lockExistingFolder(tx, folderId)))
            throw invalidInput([noSuchFolder('folder_id', folderId)]);
          const now = this.#with.now();
          const name = input.name ?? courseNameFrom(stored.manifest.title);
          const id = await insertCourse(tx, { name, folderId }, now);
          await recordVersion(tx, id, FIRST_VERSION, stored, now);
          await this.#publish(tx, 'COURSE_IMPORTED', id, FIRST_VERSION, user);
          const course = await requireCourse(tx, id);
          await this.#record(tx, by, 'COURSE_IMPORTED', null, course);
          return course;
        }),
      ),
    );
  }

  /**
   * Adds an unpublished version, and publishes COURSE_VERSION_UPLOADED. Records the course with its new latest
   * version.
   * @throws {ProblemError} `not-found`, `precondition-failed`, and as {@link PackageIntake.take}
   */
  async uploadVersion<R>(
    id: number,
    upload: UploadFolder,
    { user, by, signal, commit, expected }: UploadContext<R> & Pick<ChangeContextOf, 'expected'>,
  ): Promise<R> {
    assertRevision((await this.get(id)).revision, expected);
    return await this.#with.intake.take(upload, { caller: user, signal }, (stored) =>
      commit((open) =>
        inTransaction(this.#with.database, open, async (tx) => {
          const current = await requireLockedCourse(tx, id);
          assertRevision(current.revision, expected);
          const now = this.#with.now();
          const versionId = current.versionId + 1;
          await recordVersion(tx, id, versionId, stored, now);
          await updateCourse(tx, id, { latest_version_id: versionId }, now);
          await this.#publish(tx, 'COURSE_VERSION_UPLOADED', id, versionId, user);
          const course = await requireCourse(tx, id);
          await this.#record(tx, by, 'COURSE_VERSION_UPLOADED', current, course);
          return course;
        }),
      ),
    );
  }

  /**
   * Publishes a version and COURSE_VERSION_PUBLISHED. Does nothing if it is already published.
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async publishVersion(
    id: number,
    versionId: number,
    { user, by, expected, tx: open }: ChangeContextOf & Pick<ChangeContext, 'tx'>,
  ): Promise<Course> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const current = await requireLockedCourse(tx, id);
      if (!(await hasVersion(tx, id, versionId))) throw notFound('version', versionId);
      assertRevision(current.revision, expected);
      if (current.publishedVersionId === versionId) return current;
      await updateCourse(tx, id, { published_version_id: versionId }, this.#with.now());
      await this.#publish(tx, 'COURSE_VERSION_PUBLISHED', id, versionId, user);
      const course = await requireCourse(tx, id);
      await this.#record(tx, by, 'COURSE_VERSION_PUBLISHED', current, course);
      return course;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Course> {
    return await requireCourse(this.#with.database.reader, id);
  }

  /** @throws {ProblemError} `not-found` */
  async getWithVersions(id: number): Promise<CourseWithVersions> {
    const course = await this.get(id);
    // Versions never change, so those up to the latest version of the course are consistent with it.
    const newest = await readVersions(this.#with.database.reader, id, course.versionId, MAX_VERSIONS_READ);
    if (newest.length === 0) throw notFound('course', id);
    const versions = newest.reverse().map((row) => toVersion(row, course.publishedVersionId));
    return { ...course, versions };
  }

  async list(page: PageRequest): Promise<Page<Course>> {
    const { items, next } = toPage(await readCourses(this.#with.database.reader, page), page.limit);
    return { items: items.map(toCourse), next };
  }

  /**
   * Renames and moves.
   * @throws {ProblemError} `not-found`, `precondition-failed`, `invalid-request` if the folder does not exist
   */
  async update(
    id: number,
    input: { name: string; folderId: number },
    { by, expected }: EventlessChangeOf,
  ): Promise<Course> {
    return await this.#with.database.transaction(async (tx) => {
      const current = await requireLockedCourse(tx, id);
      assertRevision(current.revision, expected);
      if (current.name === input.name && current.folderId === input.folderId) return current;
      if (!(await lockExistingFolder(tx, input.folderId)))
        throw invalidInput([noSuchFolder('folder_id', input.folderId)]);
      await updateCourse(tx, id, { name: input.name, folder_id: input.folderId }, this.#with.now());
      const course = await requireCourse(tx, id);
      await this.#record(tx, by, 'COURSE_UPDATED', current, course);
      return course;
    });
  }

  /**
   * Deletes a course with all its versions, then, after the commit, their files. If this takes long, the files are
   * removed after it resolves.
   * @throws {ProblemError} `not-found`, `precondition-failed`, `conflict` while it is in use
   */
  async delete(id: number, { by, expected }: EventlessChangeOf): Promise<void> {
    const contentKeys = await this.#with.database.transaction(async (tx) => {
      const current = await requireLockedCourse(tx, id);
      assertRevision(current.revision, expected);
      await assertNotHeld(tx, 'course', id, this.#with.holders);
      const files = await deleteCourse(tx, id);
      await this.#record(tx, by, 'COURSE_DELETED', current, null);
      await this.#with.onDeleted(tx, { type: 'COURSE', id, name: current.name });
      return files;
    });
    await this.#with.files.remove(contentKeys);
  }

  async #record(
    tx: Transaction,
    by: Actor,
    action: AuditAction,
    before: Course | null,
    after: Course | null,
  ): Promise<void> {
    const { id, name } = (after ?? before) as Course;
    const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
    await recordAudit(tx, { by, action, id, name, changes }, this.#with.now());
  }

  async #publish(
    tx: Transaction,
    subtopic: 'COURSE_IMPORTED' | 'COURSE_VERSION_UPLOADED' | 'COURSE_VERSION_PUBLISHED',
    id: number,
    versionId: number,
    user: string,
  ): Promise<void> {
    const reference: ContentReference = { type: 'COURSE', id };
    const [course, folders] = await Promise.all([
      readCourseInEvent(tx, id, versionId),
      readFoldersOf(tx, [reference]),
    ]);
    if (course === undefined) throw notFound('course', id);
    await this.#with.events.publish(tx, {
      subtopic,
      user,
      resource: { content: { course } },
      accountId: null,
      content: [reference, ...folders],
    });
  }
}

async function recordVersion(
  tx: Transaction,
  courseId: number,
  versionId: number,
  { manifest, contentKey, fileCount, byteCount }: StoredPackage,
  now: number,
): Promise<void> {
  await insertVersion(tx, {
    course_id: courseId,
    version_id: versionId,
    learning_standard: manifest.learningStandard,
    title: manifest.title,
    units: manifest.units,
    warnings: JSON.stringify(manifest.warnings),
    structure: manifest.structure,
    structure_format: STRUCTURE_FORMAT,
    content_key: contentKey,
    file_count: fileCount,
    byte_count: byteCount,
    created_at: now,
  });
}

/** The members of a course, for the audit log. */
function fieldsOf(course: Course) {
  return {
    name: course.name,
    folder_id: course.folderId,
    location: course.location,
    learning_standard: course.learningStandard,
    version_id: course.versionId,
    published_version_id: course.publishedVersionId,
  };
}
