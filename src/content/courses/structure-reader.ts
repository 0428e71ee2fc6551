import { buffer } from 'node:stream/consumers';
import { STRUCTURE_FORMAT } from '../../course-packages/course-structure.ts';
import { PackageError } from '../../course-packages/package-error.ts';
import { DEFAULT_PACKAGE_LIMITS } from '../../course-packages/package-limits.ts';
import { mayDescribeCourse } from '../../course-packages/stored-course.ts';
import type { ManifestReader } from '../../course-packages/thread/manifest-reader.ts';
import type { Database } from '../../database/database.ts';
import type { TaskLeases } from '../../housekeeping/task-leases.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import type { ContentStore } from '../files/content-store.ts';
import { readUnreadVersions, type UnreadVersion, updateStructure } from './course-store.ts';

const TASK = 'read-course-structures';
/** Number of versions per query. */
const VERSIONS_AT_A_TIME = 20;
/**
 * Wait after a round: an instance of the previous release may import courses during an upgrade. Also the wait until a
 * manifest is read again that took too long. The machine may have been busy, but a malicious one must not keep it busy.
 */
const ROUND_PAUSE_MS = HOUR_MS;
/** Wait after a failed round, or one that another instance did. */
const RETRY_PAUSE_MS = MINUTE_MS;
/** Maximum number of files read per course: an AICC course has seven, and some packages contain several courses. */
const MAX_FILES_READ = 50;
/** Total size of those files: they are all in memory at once. */
const MAX_BYTES_READ = 4 * DEFAULT_PACKAGE_LIMITS.manifestBytes;

/** Dependencies of {@link StructureReader}. */
export interface StructureReaderDependencies {
  database: Database;
  store: ContentStore;
  leases: TaskLeases;
  manifests: Pick<ManifestReader, 'read'>;
  log: Logger;
  /** Wait after a round. @defaultValue an hour */
  roundPauseMs?: number;
  /** Wait after a failed round. @defaultValue a minute */
  retryPauseMs?: number;
}

/**
 * Reads the manifests of courses that an earlier release imported, which stored less than playing needs. One instance
 * at a time reads one course at a time. An interruption loses no finished work.
 */
export class StructureReader implements AsyncDisposable {
  readonly #with: StructureReaderDependencies;
  readonly #roundPauseMs: number;
  readonly #retryPauseMs: number;
  readonly #task: BackgroundTask;
  /** When versions were last read whose manifests took too long, by their files, in monotonic time. */
  readonly #slow = new Map<string, number>();

  constructor({
    roundPauseMs = ROUND_PAUSE_MS,
    retryPauseMs = RETRY_PAUSE_MS,
    ...dependencies
  }: StructureReaderDependencies) {
    this.#with = dependencies;
    this.#roundPauseMs = roundPauseMs;
    this.#retryPauseMs = retryPauseMs;
    this.#task = new BackgroundTask({
      round: (signal) => this.#round(signal),
      pauseMs: retryPauseMs,
      onError: (error) =>
        dependencies.log.warn('the manifests of existing courses could not be read; retrying later', {
          error,
        }),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Starts no further round, and ends the one in progress at its next step. */
  end(): void {
    this.#task.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  async #round(signal: AbortSignal): Promise<number> {
    let failures = 0;
    const isDone = await this.#with.leases.run(TASK, { restMs: 0, signal }, async (held) => {
      failures = await this.#readAll(held);
    });
    return isDone && failures === 0 ? this.#roundPauseMs : this.#retryPauseMs;
  }

  /**
   * Reads what can be read, and returns how many versions could not be. Those are tried again in the next round. Not
   * counted are those that took too long, and are tried again later.
   */
  async #readAll(signal: AbortSignal): Promise<number> {
    let after = { course_id: 0, version_id: -1 };
    let count = 0;
    let failures = 0;
    let first: { course: number; version: number; error: unknown } | null = null;
    while (!signal.aborted) {
      const versions = await readUnreadVersions(
        this.#with.database.reader,
        STRUCTURE_FORMAT,
        after,
        VERSIONS_AT_A_TIME,
      );
      for (const version of versions) {
        if (signal.aborted) return failures;
        after = version;
        if (this.#isTooEarly(version)) continue;
        try {
          if (await this.#read(version, signal)) count += 1;
        } catch (error) {
          if (signal.aborted) throw error;
          failures += 1;
          first ??= { course: version.course_id, version: version.version_id, error };
          // Where the store itself fails, the others would fail as well.
          await this.#with.store.ping();
        }
      }
      if (versions.length < VERSIONS_AT_A_TIME) break;
    }
    if (count > 0) this.#with.log.info('read the manifests of existing courses again', { versions: count });
    if (first !== null) {
      this.#with.log.warn('the manifests of some existing courses could not be read; this will be retried', {
        versions: failures,
        ...first,
      });
    }
    return failures;
  }

  /** Whether a version was read a short time ago, and took too long. */
  #isTooEarly({ content_key }: UnreadVersion): boolean {
    const last = this.#slow.get(content_key);
    return last !== undefined && performance.now() - last < this.#roundPauseMs;
  }

  /** Returns whether it is done with the version. */
  async #read(version: UnreadVersion, signal: AbortSignal): Promise<boolean> {
    const { course_id: course, version_id, content_key } = version;
    let structure: string | null = null;
    try {
      structure = await this.#structureOf(version, signal);
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      const fields = { course, version: version_id, reason: error.message };
      if (error.code === 'MANIFEST_TOO_SLOW') {
        this.#slow.set(content_key, performance.now());
        this.#with.log.warn('the manifest of an existing course took too long; this will be retried', fields);
        return false;
      }
      // Such a course is played without its structure, or with the one that an earlier release read.
      this.#with.log.warn('the manifest of an existing course could not be read', fields);
    }
    this.#slow.delete(content_key);
    await this.#with.database.transaction((tx) =>
      updateStructure(tx, version, { structure, structure_format: STRUCTURE_FORMAT }),
    );
    return true;
  }

  /** JSON. @throws {PackageError} */
  async #structureOf(
    { course_id, version_id, content_key }: UnreadVersion,
    signal: AbortSignal,
  ): Promise<string> {
    const names = await Array.fromAsync(this.#with.store.files(content_key));
    if (names.length === 0 && !(await this.#with.store.has(content_key)))
      throw new Error(`the files of course ${course_id}, version ${version_id} are missing`);
    const contents = await this.#contents(content_key, names);
    const request = { kind: 'stored', files: { names, contents } } as const;
    const { structure } = await this.#with.manifests.read(request, TASK, signal);
    return structure;
  }

  async #contents(key: string, names: readonly string[]): Promise<Map<string, Uint8Array>> {
    const contents = new Map<string, Uint8Array>();
    let bytes = 0;
    for (const name of names.filter(mayDescribeCourse).slice(0, MAX_FILES_READ)) {
      const file = await this.#with.store.read(key, name);
      if (file === null) continue;
      if (file.size > DEFAULT_PACKAGE_LIMITS.manifestBytes || bytes + file.size > MAX_BYTES_READ) {
        file.stream.destroy();
      } else {
        contents.set(name, await buffer(file.stream));
        bytes += file.size;
      }
    }
    return contents;
  }
}
