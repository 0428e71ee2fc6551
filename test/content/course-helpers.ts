import { writeFile } from 'node:fs/promises';
import type { Holder } from '../../src/content/assets/holder.ts';
import { CourseService } from '../../src/content/courses/course-service.ts';
import { FileRemoval } from '../../src/content/courses/file-removal.ts';
import { PackageIntake } from '../../src/content/courses/package-intake.ts';
import { type UploadFolder, UploadFolders } from '../../src/content/courses/upload-folders.ts';
import type {
  ByteRange,
  ContentStore,
  FileFacts,
  StoredFile,
} from '../../src/content/files/content-store.ts';
import { FolderContentStore } from '../../src/content/files/folder-content-store.ts';
import { FolderService } from '../../src/content/folders/folder-service.ts';
import { ManifestReader } from '../../src/course-packages/thread/manifest-reader.ts';
import { type DataFolder, openDataFolder } from '../../src/database/data-folder.ts';
import type { Database } from '../../src/database/database.ts';
import type { ServiceEvent } from '../../src/events/event.ts';
import { openTestDatabase } from '../support/database.ts';
import { type LogLine, recordedLogs } from '../support/logs.ts';
import { temporaryFolder } from '../support/service.ts';

const MAX_PACKAGE_BYTES = 1024 * 1024;

/** A content store in a folder. A test can make an operation fail or do something else first. */
export class TestContentStore implements ContentStore {
  readonly #store: FolderContentStore;
  /** Called before each `put`. */
  beforePut: () => Promise<void> = async () => {};
  /** Called before each `remove`. */
  beforeRemove: () => Promise<void> = async () => {};

  constructor(folder: string) {
    this.#store = new FolderContentStore(folder);
  }

  get location(): string {
    return this.#store.location;
  }

  get maxPathBytes(): number {
    return this.#store.maxPathBytes;
  }

  async put(key: string, stagedFolder: string, signal: AbortSignal): Promise<void> {
    await this.beforePut();
    await this.#store.put(key, stagedFolder, signal);
  }

  async remove(key: string): Promise<void> {
    await this.beforeRemove();
    await this.#store.remove(key);
  }

  path(key: string): string {
    return this.#store.path(key);
  }

  keys(): AsyncIterable<string> {
    return this.#store.keys();
  }

  read(key: string, filePath: string, range?: ByteRange): Promise<StoredFile | null> {
    return this.#store.read(key, filePath, range);
  }

  find(key: string, filePath: string): Promise<FileFacts | null> {
    return this.#store.find(key, filePath);
  }

  files(key: string): AsyncIterable<string> {
    return this.#store.files(key);
  }

  expectOwner(installation: string): void {
    this.#store.expectOwner(installation);
  }

  has(key: string): Promise<boolean> {
    return this.#store.has(key);
  }

  owner(): Promise<string | null> {
    return this.#store.owner();
  }

  claim(installation: string): Promise<string> {
    return this.#store.claim(installation);
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The parts that serve courses, on a database and a folder of their own. */
export interface CourseParts extends AsyncDisposable {
  folder: DataFolder;
  database: Database;
  folders: FolderService;
  courses: CourseService;
  intake: PackageIntake;
  manifests: ManifestReader;
  store: TestContentStore;
  /** The events that were committed, in order. */
  events: ServiceEvent[];
  /** The messages of log lines. */
  logged: readonly LogLine[];
  /** An upload that has come in; removed with the parts. */
  receive(packageBytes: Uint8Array): Promise<UploadFolder>;
}

/** Opens the parts; `holders` are asked before a course is deleted. */
export async function openCourseParts({
  holders = [],
}: {
  holders?: readonly Holder[];
} = {}): Promise<CourseParts> {
  await using stack = new AsyncDisposableStack();
  const folder = openDataFolder(stack.use(temporaryFolder()).path, { holdsDatabase: false });
  const { database } = stack.use(await openTestDatabase());
  const now = () => Date.UTC(2026, 0, 31, 9, 30);

  const { logs, lines: logged } = recordedLogs();
  const log = logs.for('CourseService');
  const onDeleted = async () => {};
  const folders = new FolderService({ database, holders: [], onDeleted, now });
  await folders.ensureRoot();
  const store = new TestContentStore(folder.contentFolder);
  const uploads = new UploadFolders({ folder: folder.temporaryFolder, log });
  const manifests = stack.use(new ManifestReader());
  const intake = new PackageIntake({
    reader: database.reader,
    store,
    manifests,
    maxPackageBytes: MAX_PACKAGE_BYTES,
    log,
    now,
  });
  const events: ServiceEvent[] = [];
  const publisher = {
    publish: async (tx: { onCommit(hook: () => void): void }, event: ServiceEvent) =>
      tx.onCommit(() => events.push(event)),
  };
  const courses = new CourseService({
    database,
    events: publisher,
    intake,
    files: new FileRemoval({ store, log }),
    holders,
    onDeleted,
    now,
  });
  const receive = async (packageBytes: Uint8Array) => {
    const upload = opened.use(await uploads.open('someone'));
    await writeFile(upload.packageFile, packageBytes);
    return upload;
  };
  const opened = stack.move();
  return {
    folder,
    database,
    folders,
    courses,
    intake,
    manifests,
    store,
    events,
    logged,
    receive,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
