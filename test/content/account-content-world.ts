import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { AccountContentService } from '../../src/content/account-content/account-content-service.ts';
import { AccountService } from '../../src/content/accounts/account-service.ts';
import { BundleService } from '../../src/content/bundles/bundle-service.ts';
import { insertCourse, insertVersion } from '../../src/content/courses/course-store.ts';
import { EquivalentService } from '../../src/content/equivalents/equivalent-service.ts';
import { FolderService } from '../../src/content/folders/folder-service.ts';
import type { Database } from '../../src/database/database.ts';
import type { ContentReference, ServiceEvent } from '../../src/events/event.ts';
import { readMatchingWebhooks } from '../../src/webhooks/configuration/trigger-store.ts';

const BY = { by: COMMAND_LINE };

/** An event that was published, and the webhooks that it matched. */
export interface PublishedEvent {
  event: ServiceEvent;
  webhookIds: number[];
}

/** The content services on a real database, without the server. Records the events that they publish. */
export class ContentWorld {
  readonly published: PublishedEvent[] = [];
  readonly accounts: AccountService;
  readonly contents: AccountContentService;
  readonly folders: FolderService;
  readonly equivalents: EquivalentService;
  readonly bundles: BundleService;
  readonly #database: Database;

  constructor(database: Database) {
    const now = Date.now;
    const events = {
      publish: async (
        tx: Parameters<typeof readMatchingWebhooks>[0],
        ...published: readonly ServiceEvent[]
      ) => {
        for (const event of published) {
          const webhooks = await readMatchingWebhooks(tx, event);
          this.published.push({ event, webhookIds: webhooks.map(({ id }) => id) });
        }
      },
    };
    const onDeleted = async () => {};
    this.#database = database;
    this.accounts = new AccountService({
      database,
      events,
      belongings: [],
      partOfBelongings: async () => null,
      onDeleted,
      now,
    });
    this.contents = new AccountContentService({
      database,
      accounts: this.accounts,
      events,
      maxAssetsAdded: Number.MAX_SAFE_INTEGER,
      now,
    });
    this.folders = new FolderService({ database, holders: [], onDeleted, now });
    this.equivalents = new EquivalentService({ database, holders: [], onDeleted, now });
    this.bundles = new BundleService({ database, holders: [], onDeleted, now });
  }

  async account(): Promise<number> {
    return (await this.accounts.create({ name: 'Account', enabled: true }, { user: 'someone', ...BY })).id;
  }

  async folder(parentId: number | null): Promise<number> {
    return (await this.folders.create({ name: 'Folder', parentId }, BY)).id;
  }

  /** A course without a package: only its rows. */
  async course(folderId: number): Promise<ContentReference> {
    const id = await this.#database.transaction(async (tx) => {
      const courseId = await insertCourse(tx, { name: 'Course', folderId }, 0);
      await insertVersion(tx, {
        course_id: courseId,
        version_id: 0,
        learning_standard: 'UNKNOWN',
        title: 'Course',
        units: '[]',
        warnings: '[]',
        structure: null,
        structure_format: 0,
        content_key: `key of ${courseId}`,
        file_count: 0,
        byte_count: 0,
        created_at: 0,
      });
      return courseId;
    });
    return { type: 'COURSE', id };
  }

  async equivalent(folderId: number, courses: readonly ContentReference[]): Promise<ContentReference> {
    const { id } = await this.equivalents.create(
      {
        name: 'Equivalent',
        folderId,
        contents: courses.map((course, index) => ({ courseId: course.id, language: `en-${100 + index}` })),
      },
      BY,
    );
    return { type: 'EQUIVALENT', id };
  }

  async bundle(folderId: number, contents: readonly ContentReference[]): Promise<ContentReference> {
    const { id } = await this.bundles.create(
      {
        name: 'Bundle',
        folderId,
        contents: contents.map(({ type, id: contentId }) => ({
          type: type === 'COURSE' ? 'COURSE' : 'EQUIVALENT',
          id: contentId,
        })),
      },
      BY,
    );
    return { type: 'BUNDLE', id };
  }
}
