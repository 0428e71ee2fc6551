import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../../course-packages/package-limits.ts';
import { extractPackage } from '../../course-packages/read-package.ts';
import type { ReadManifest } from '../../course-packages/thread/manifest-messages.ts';
import type { ManifestReader } from '../../course-packages/thread/manifest-reader.ts';
import { DatabaseUnavailableError, type Reader } from '../../database/database.ts';
import { FairSlots } from '../../fair-slots.ts';
import type { Logger } from '../../observability/log.ts';
import { DAY_MS } from '../../time/units.ts';
import { ROOT_FOLDER } from '../assets/folder-tree.ts';
import { generatedAt, newContentKey } from '../files/content-key.ts';
import type { ContentStore } from '../files/content-store.ts';
import { readFolder } from '../folders/folder-store.ts';
import { readRecordedKeys } from './course-store.ts';
import type { UploadFolder } from './upload-folders.ts';
import { toUploadProblem } from './upload-problems.ts';

/**
 * Maximum number of packages unpacked concurrently: each keeps the disk and one of Node's few worker threads
 * busy.
 */
const PARALLEL_PACKAGES = 4;
/** Number of keys per database query. */
const KEYS_AT_A_TIME = 500;
/**
 * Age from which a key without a version is an orphan. Imports take at most hours (the deadline of the store),
 * and the clocks of instances differ by less.
 */
const ORPHAN_AGE_MS = DAY_MS;

/** Logged whenever orphans are removed. */
const KEPT_FILES =
  'there are course files that are older than the database and belong to no course of it: they are never removed ' +
  'automatically. Was the database lost, or is data_dir wrong?';

/** A package whose files are in the content store, not recorded yet. */
export interface StoredPackage {
  contentKey: string;
  manifest: ReadManifest;
  fileCount: number;
  byteCount: number;
}

/** Dependencies of {@link PackageIntake}. */
export interface PackageIntakeDependencies {
  reader: Pick<Reader, 'query' | 'dialect'>;
  store: ContentStore;
  manifests: ManifestReader;
  /** The setting `max_package_size`. */
  maxPackageBytes: number;
  log: Logger;
  now: () => number;
}

/** Imports packages: reads, unpacks, stores and records them, or leaves nothing behind. */
export class PackageIntake {
  readonly #with: PackageIntakeDependencies;
  readonly #limits: Partial<PackageLimits>;
  readonly #slots = new FairSlots(PARALLEL_PACKAGES);
  /** Keys that may be in the content store before their version is recorded. */
  readonly #underWay = new Set<string>();

  constructor(dependencies: PackageIntakeDependencies) {
    this.#with = dependencies;
    this.#limits = limitsFor(dependencies);
  }

  /**
   * Imports an uploaded package. `record` commits it with its version. If it does not, the content store is unchanged
   * in the end. The import can be aborted until `record` starts.
   * @param caller whose package it is; callers take turns
   * @throws {ProblemError} `invalid-package` in words for its author, `unavailable` if the disk is full
   * @throws what `record` throws, and the reason of `signal`
   */
  async take<T>(
    upload: UploadFolder,
    { caller, signal }: { caller: string; signal: AbortSignal },
    record: (stored: StoredPackage) => Promise<T>,
  ): Promise<T> {
    try {
      const unpacked = await this.#unpack(upload, caller, signal);
      return await this.#storeAndRecord(upload, signal, (contentKey) => record({ ...unpacked, contentKey }));
    } catch (error) {
      throw toUploadProblem(error);
    }
  }

  /**
   * Removes files without a version from the content store: leftovers of a crash between storing and recording,
   * and files that could not be removed with their course. Files from before this database are kept, because they may
   * be all the courses of a lost one. Returns the number of removed keys. Only for a store that no other process uses,
   * because imports of other processes are unknown here.
   */
  async removeOrphans(): Promise<number> {
    return await this.#removeOrphansOlderThan(0);
  }

  /**
   * Does the same for files that are too old to belong to an import in progress on any instance. @throws the
   * reason of `signal`
   */
  async removeOldOrphans(signal: AbortSignal): Promise<number> {
    return await this.#removeOrphansOlderThan(ORPHAN_AGE_MS, signal);
  }

  async #removeOrphansOlderThan(ageMs: number, signal?: AbortSignal): Promise<number> {
    const since = await this.#databaseCreatedAt();
    const result = { removed: 0, kept: 0 };
    let listed: string[] = [];
    for await (const key of this.#with.store.keys()) {
      signal?.throwIfAborted();
      if (ageMs > 0 && generatedAt(key) > this.#with.now() - ageMs) continue;
      listed.push(key);
      if (listed.length < KEYS_AT_A_TIME) continue;
      await this.#removeUnrecorded(listed, since, result, signal);
      listed = [];
    }
    await this.#removeUnrecorded(listed, since, result, signal);
    const { removed, kept } = result;
    if (removed > 0) this.#with.log.info('files without a course were removed', { keys: removed });
    if (kept > 0) this.#with.log.warn(KEPT_FILES, { keys: kept, folder: this.#with.store.location });
    return removed;
  }

  /** A copied or restored database is as old as its original. Without a root folder, everything is older. */
  async #databaseCreatedAt(): Promise<number> {
    const root = await readFolder(this.#with.reader, ROOT_FOLDER.id);
    return root?.created_at ?? Number.POSITIVE_INFINITY;
  }

  /** @param since when the database was created @param result the counts are added to it */
  async #removeUnrecorded(
    listed: readonly string[],
    since: number,
    result: { removed: number; kept: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // In this order: a listed import that is no longer in progress was recorded before the database is read.
    const settled = [...new Set(listed)].filter((key) => !this.#underWay.has(key));
    if (settled.length === 0) return;
    const recorded = await readRecordedKeys(this.#with.reader, settled);
    for (const key of settled) {
      if (recorded.has(key)) continue;
      if (generatedAt(key) < since) result.kept += 1;
      else if (await this.#removeOrphan(key, signal)) result.removed += 1;
    }
  }

  /** A key that cannot be removed must not prevent the startup. @throws the reason of `signal` */
  async #removeOrphan(key: string, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    try {
      await this.#with.store.remove(key);
      return true;
    } catch (error) {
      // A stop also ends the requests of the store.
      signal?.throwIfAborted();
      this.#with.log.warn('files without a course could not be removed', { error });
      return false;
    }
  }

  async #unpack(
    { packageFile, contentFolder }: UploadFolder,
    caller: string,
    signal: AbortSignal,
  ): Promise<Omit<StoredPackage, 'contentKey'>> {
    const limits = this.#limits;
    const manifest = await this.#with.manifests.read(
      { kind: 'package', file: packageFile, limits },
      caller,
      signal,
    );
    using _slot = await this.#slots.take(signal, caller);
    const { files, bytes } = await extractPackage(packageFile, contentFolder, { limits, signal });
    return { manifest, fileCount: files, byteCount: bytes };
  }

  async #storeAndRecord<T>(
    upload: UploadFolder,
    signal: AbortSignal,
    record: (contentKey: string) => Promise<T>,
  ): Promise<T> {
    const contentKey = newContentKey(this.#with.now());
    this.#underWay.add(contentKey);
    let mayStillCommit = false;
    try {
      await this.#with.store.put(contentKey, upload.contentFolder, signal);
      signal.throwIfAborted();
      try {
        return await record(contentKey);
      } catch (error) {
        mayStillCommit =
          error instanceof DatabaseUnavailableError && this.#with.reader.dialect === 'postgres';
        throw error;
      }
    } finally {
      // A server that did not respond in time may commit later. The cleaner removes the files if it does not.
      if (!mayStillCommit) await this.#keepIfRecorded(contentKey);
      this.#underWay.delete(contentKey);
    }
  }

  /**
   * The database decides, not the outcome of `record`. A repeated request succeeds without recording anything. A commit
   * whose response was lost may have happened.
   */
  async #keepIfRecorded(contentKey: string): Promise<void> {
    try {
      if ((await readRecordedKeys(this.#with.reader, [contentKey])).has(contentKey)) return;
      await this.#with.store.remove(contentKey);
    } catch (error) {
      this.#with.log.warn(
        'the files of an unrecorded upload could not be removed; they will be removed later',
        {
          error,
        },
      );
    }
  }
}

/** If larger packages are allowed, they may also be unpacked. The store must accept the paths of their files. */
function limitsFor({
  maxPackageBytes,
  store,
}: Pick<PackageIntakeDependencies, 'maxPackageBytes' | 'store'>): Partial<PackageLimits> {
  return {
    nameBytes: Math.min(DEFAULT_PACKAGE_LIMITS.nameBytes, store.maxPathBytes),
    fileBytes: Math.max(DEFAULT_PACKAGE_LIMITS.fileBytes, maxPackageBytes),
    totalBytes: Math.max(DEFAULT_PACKAGE_LIMITS.totalBytes, 2 * maxPackageBytes),
  };
}
