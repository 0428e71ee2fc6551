import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isTemporaryName } from '../../database/foreign-files.ts';
import type { Logger } from '../../observability/log.ts';
import { ProblemError } from '../../problems/problem.ts';
import { DAY_MS } from '../../time/units.ts';
import { toUploadProblem } from './upload-problems.ts';

/** Maximum number of concurrent uploads in any state, which limits their disk space. */
const MAX_UPLOADS = 64;
/** Maximum per caller, so that no caller blocks the others. */
const MAX_UPLOADS_OF_CALLER = 16;
/** `Retry-After` when there are too many uploads, in seconds. */
const BUSY_RETRY_AFTER = '30';
/** No upload takes that long: older folders are leftovers. */
const LEFTOVER_AGE_MS = DAY_MS;

/** The folders of one upload. Disposing of it removes what is left. */
export interface UploadFolder extends AsyncDisposable {
  /** Where the package is written while it is received. */
  readonly packageFile: string;
  /** Where it is unpacked. Does not exist until then. */
  readonly contentFolder: string;
}

/** Dependencies of {@link UploadFolders}. */
export interface UploadFoldersDependencies {
  /** The existing `tmp/` of the data folder. The content store may be on another disk. */
  folder: string;
  log: Logger;
}

/** The temporary folder, with a subfolder for each upload. Disposing of it waits for the uploads in progress. */
export class UploadFolders implements AsyncDisposable {
  readonly #with: UploadFoldersDependencies;
  #open = 0;
  readonly #openByCaller = new Map<string, number>();
  /** Called when no upload is open. */
  #onIdle: () => void = () => {};

  constructor(dependencies: UploadFoldersDependencies) {
    this.#with = dependencies;
  }

  /**
   * Removes what an earlier process left behind. Called at startup, before the first upload, if no other process uses
   * the folder.
   */
  async empty(): Promise<void> {
    for (const place of await this.#ownPlaces()) await rm(place, { recursive: true, force: true });
  }

  /**
   * Removes what an earlier process left behind if other instances use the folder: their uploads are kept. Their age is
   * by the clock that dates new files, which may be that of a file server.
   */
  async removeLeftovers(): Promise<void> {
    const places = await this.#ownPlaces();
    if (places.length === 0) return;
    const now = await this.#timeOfFiles();
    for (const place of places) {
      const found = await stat(place).catch(() => null);
      if (found !== null && found.mtimeMs < now - LEFTOVER_AGE_MS)
        await rm(place, { recursive: true, force: true });
    }
  }

  /** What the service made. Anything else is kept, since it belongs to someone else. */
  async #ownPlaces(): Promise<string[]> {
    const names = await readdir(this.#with.folder);
    return names.filter(isTemporaryName).map((name) => path.join(this.#with.folder, name));
  }

  /** The time that the file system gives a new file. This machine's time if it creates none, such as on a full disk. */
  async #timeOfFiles(): Promise<number> {
    try {
      const made = await mkdtemp(path.join(this.#with.folder, 'time-'));
      const { mtimeMs } = await stat(made);
      await rm(made, { recursive: true, force: true });
      return mtimeMs;
    } catch {
      return Date.now();
    }
  }

  /**
   * Reserves an upload.
   * @param caller the id of the uploader
   * @throws {ProblemError} `unavailable` while too many uploads are under way, of this caller or of all, or the disk is full
   */
  async open(caller: string): Promise<UploadFolder> {
    const ofCaller = this.#openByCaller.get(caller) ?? 0;
    if (ofCaller >= MAX_UPLOADS_OF_CALLER) {
      throw busy(`You are already uploading ${MAX_UPLOADS_OF_CALLER} packages, the maximum at a time`);
    }
    if (this.#open >= MAX_UPLOADS) throw busy('Too many packages are being uploaded at the moment');
    this.#count(caller, 1);
    try {
      const folder = await mkdtemp(path.join(this.#with.folder, 'upload-'));
      return {
        packageFile: path.join(folder, 'package.zip'),
        contentFolder: path.join(folder, 'content'),
        [Symbol.asyncDispose]: () => this.#close(folder, caller),
      };
    } catch (error) {
      this.#count(caller, -1);
      throw toUploadProblem(error);
    }
  }

  #count(caller: string, change: 1 | -1): void {
    this.#open += change;
    const ofCaller = (this.#openByCaller.get(caller) ?? 0) + change;
    if (ofCaller === 0) this.#openByCaller.delete(caller);
    else this.#openByCaller.set(caller, ofCaller);
    if (this.#open === 0) this.#onIdle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#open === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /**
   * Files that cannot be removed now are removed as leftovers. They must not turn a response into a failure.
   */
  async #close(folder: string, caller: string): Promise<void> {
    try {
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      this.#with.log.warn('an upload’s temporary files could not be removed', { error });
    } finally {
      this.#count(caller, -1);
    }
  }
}

function busy(detail: string): ProblemError {
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': BUSY_RETRY_AFTER } });
}
