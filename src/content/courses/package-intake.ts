import { FairSlots } from '../../course-packages/fair-slots.ts';
import type { ReadManifest } from '../../course-packages/manifest-messages.ts';
import type { ManifestReader } from '../../course-packages/manifest-reader.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from '../../course-packages/package-limits.ts';
import { extractPackage } from '../../course-packages/read-package.ts';
import type { Reader } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { drawnAt, newContentKey } from '../files/content-key.ts';
import type { ContentStore } from '../files/content-store.ts';
import { readRecordedKeys } from './course-store.ts';
import type { UploadFolder } from './upload-folders.ts';
import { toUploadProblem } from './upload-problems.ts';

/** Packages unpacked at a time: each keeps the disk busy, and a thread of the few that Node has for it. */
const PARALLEL_PACKAGES = 4;
/** Keys that the database is asked about at a time. */
const KEYS_AT_A_TIME = 500;
/**
 * From this age on a key that no version has is an orphan's: an import takes hours at most (the store's deadline), and
 * the clocks of instances do not differ by as much.
 */
const ORPHAN_AGE_MS = 24 * 3_600_000;

/** A package whose files are in the content store, not recorded yet. */
export interface StoredPackage {
  contentKey: string;
  manifest: ReadManifest;
  fileCount: number;
  byteCount: number;
}

/** Takes packages in: understood, unpacked, put into the content store and recorded, or nothing of it. */
export class PackageIntake {
  readonly #reader: Pick<Reader, 'query'>;
  readonly #store: ContentStore;
  readonly #limits: Partial<PackageLimits>;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #manifests: ManifestReader;
  readonly #slots = new FairSlots(PARALLEL_PACKAGES);
  /** Keys that the content store may hold though no version is recorded with them yet. */
  readonly #underWay = new Set<string>();

  /** @param maxPackageBytes the setting `max_package_size` */
  constructor({
    reader,
    store,
    manifests,
    maxPackageBytes,
    log,
    now,
  }: {
    reader: Pick<Reader, 'query'>;
    store: ContentStore;
    manifests: ManifestReader;
    maxPackageBytes: number;
    log: Logger;
    now: () => number;
  }) {
    this.#reader = reader;
    this.#store = store;
    this.#manifests = manifests;
    this.#limits = limitsFor(maxPackageBytes);
    this.#log = log;
    this.#now = now;
  }

  /**
   * Takes the package of an upload in. `record` commits it with its version; unless it does, the content store
   * is as it was in the end. An abort is heeded until `record` begins.
   * @param caller whose package it is; callers take turns
   * @throws {ProblemError} `invalid-package` in words for its author, `unavailable` without room on the disk
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
   * Removes what the content store holds of no version: what a crash left between storing and recording, and
   * what could not be removed when its course was deleted. Answers how many keys it removed. Only for a store of this
   * process alone, for another's imports are not known here.
   */
  async removeOrphans(): Promise<number> {
    return await this.#removeOrphansOlderThan(0);
  }

  /** The same of what is too old to be an import that is under way on any instance. @throws the reason of `signal` */
  async removeOldOrphans(signal: AbortSignal): Promise<number> {
    return await this.#removeOrphansOlderThan(ORPHAN_AGE_MS, signal);
  }

  async #removeOrphansOlderThan(ageMs: number, signal?: AbortSignal): Promise<number> {
    let removed = 0;
    let listed: string[] = [];
    for await (const key of this.#store.keys()) {
      signal?.throwIfAborted();
      if (ageMs > 0 && drawnAt(key) > this.#now() - ageMs) continue;
      listed.push(key);
      if (listed.length < KEYS_AT_A_TIME) continue;
      removed += await this.#removeUnrecorded(listed);
      listed = [];
    }
    return removed + (await this.#removeUnrecorded(listed));
  }

  async #removeUnrecorded(listed: readonly string[]): Promise<number> {
    // In this order: what was listed and is no longer under way now has been recorded before the database is asked.
    const settled = [...new Set(listed)].filter((key) => !this.#underWay.has(key));
    if (settled.length === 0) return 0;
    const recorded = await readRecordedKeys(this.#reader, settled);
    let removed = 0;
    for (const key of settled) {
      if (!recorded.has(key) && (await this.#removeOrphan(key))) removed += 1;
    }
    return removed;
  }

  /** One that resists must not keep the service from starting. */
  async #removeOrphan(key: string): Promise<boolean> {
    try {
      await this.#store.remove(key);
      return true;
    } catch (error) {
      this.#log.warn('files without a course could not be removed', { error });
      return false;
    }
  }

  async #unpack(
    { packageFile, contentFolder }: UploadFolder,
    caller: string,
    signal: AbortSignal,
  ): Promise<Omit<StoredPackage, 'contentKey'>> {
    const limits = this.#limits;
    const manifest = await this.#manifests.read(
      { kind: 'package', file: packageFile, limits },
      caller,
      signal,
    );
    using _slot = await this.#slots.take(caller, signal);
    const { files, bytes } = await extractPackage(packageFile, contentFolder, { limits, signal });
    return { manifest, fileCount: files, byteCount: bytes };
  }

  async #storeAndRecord<T>(
    upload: UploadFolder,
    signal: AbortSignal,
    record: (contentKey: string) => Promise<T>,
  ): Promise<T> {
    const contentKey = newContentKey(this.#now());
    this.#underWay.add(contentKey);
    try {
      await this.#store.put(contentKey, upload.contentFolder, signal);
      signal.throwIfAborted();
      return await record(contentKey);
    } finally {
      await this.#keepIfRecorded(contentKey);
      this.#underWay.delete(contentKey);
    }
  }

  /**
   * The database decides, not how recording ended: a repeated request records nothing though it succeeds, and a
   * commit whose answer was lost on the way may have happened though it failed.
   */
  async #keepIfRecorded(contentKey: string): Promise<void> {
    try {
      if ((await readRecordedKeys(this.#reader, [contentKey])).has(contentKey)) return;
      await this.#store.remove(contentKey);
    } catch (error) {
      this.#log.warn('the files of an unrecorded upload could not be removed; they will be removed later', {
        error,
      });
    }
  }
}

/** An administrator who lets larger packages in means them to be unpacked as well. */
function limitsFor(maxPackageBytes: number): Partial<PackageLimits> {
  return {
    fileBytes: Math.max(DEFAULT_PACKAGE_LIMITS.fileBytes, maxPackageBytes),
    totalBytes: Math.max(DEFAULT_PACKAGE_LIMITS.totalBytes, 2 * maxPackageBytes),
  };
}
