import type { CourseRecord } from '../../../api/courses.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import type { UploadProgress } from '../../../api/upload.ts';

/** What becomes of a package. */
export type UploadTarget =
  | { kind: 'course'; folderId: number; folderName: string }
  | { kind: 'version'; courseId: number; courseName: string };

/** How far an upload is. */
export type UploadState =
  | { kind: 'waiting' }
  | { kind: 'sending'; sent: number; total: number }
  /** All is sent; the service reads the package. */
  | { kind: 'checking' }
  | { kind: 'done'; course: CourseRecord }
  | { kind: 'failed'; error: unknown }
  | { kind: 'cancelled' };

export interface UploadItem {
  id: number;
  file: File;
  target: UploadTarget;
  state: UploadState;
}

/** Sends a package; aborted by the signal. */
export type SendPackage = (
  file: File,
  target: UploadTarget,
  options: {
    onProgress: (progress: UploadProgress) => void;
    signal: AbortSignal;
    idempotencyKey: string;
  },
) => Promise<CourseRecord>;

/** The file cannot be read any more: it was changed, moved or deleted since it was chosen. */
export class FileGoneError extends Error {
  override name = 'FileGoneError';
}

/** At a time; the service unpacks few at once anyway. */
const CONCURRENCY = 2;

/**
 * The packages that are uploaded on this page, in the order in which they were chosen. Each has a key of its own, so
 * that trying again after a lost answer makes nothing twice. React reads it through `useSyncExternalStore`.
 */
export class UploadQueue {
  readonly #send: SendPackage;
  readonly #onSettled: (item: UploadItem) => void;
  readonly #listeners = new Set<() => void>();
  readonly #keys = new Map<number, string>();
  readonly #running = new Map<number, AbortController>();
  #items: readonly UploadItem[] = [];
  #lastId = 0;

  constructor(send: SendPackage, onSettled: (item: UploadItem) => void) {
    this.#send = send;
    this.#onSettled = onSettled;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly items = (): readonly UploadItem[] => this.#items;

  add(files: readonly File[], target: UploadTarget): void {
    const added = files.map((file): UploadItem => {
      this.#lastId += 1;
      this.#keys.set(this.#lastId, newIdempotencyKey());
      return { id: this.#lastId, file, target, state: { kind: 'waiting' } };
    });
    this.#set([...this.#items, ...added]);
    this.#startNext();
  }

  /** Ends it if it is not finished. */
  cancel(id: number): void {
    const item = this.#find(id);
    if (item === undefined || !isUnfinished(item)) return;
    this.#update(id, { kind: 'cancelled' });
    this.#running.get(id)?.abort();
    this.#startNext();
  }

  cancelAll(): void {
    for (const item of this.#items.filter(isUnfinished).toReversed()) this.cancel(item.id);
  }

  /** Puts one that failed or was cancelled in line again. */
  retry(id: number): void {
    const item = this.#find(id);
    if (item?.state.kind !== 'failed' && item?.state.kind !== 'cancelled') return;
    this.#update(id, { kind: 'waiting' });
    this.#startNext();
  }

  /** Takes what is finished off the list. */
  clear(): void {
    const kept = this.#items.filter(isUnfinished);
    for (const { id } of this.#items) if (!kept.some((item) => item.id === id)) this.#keys.delete(id);
    this.#set(kept);
  }

  remove(id: number): void {
    this.cancel(id);
    this.#keys.delete(id);
    this.#set(this.#items.filter((item) => item.id !== id));
  }

  #startNext(): void {
    while (this.#running.size < CONCURRENCY) {
      // One that was cancelled and chosen again waits until its first attempt has ended.
      const next = this.#items.find(({ id, state }) => state.kind === 'waiting' && !this.#running.has(id));
      if (next === undefined) return;
      void this.#run(next);
    }
  }

  async #run({ id, file, target }: UploadItem): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    this.#update(id, { kind: 'sending', sent: 0, total: file.size });
    let outcome: UploadState;
    try {
      await assertReadable(file);
      signal.throwIfAborted();
      const course = await this.#send(file, target, {
        signal,
        idempotencyKey: this.#keys.get(id) ?? newIdempotencyKey(),
        onProgress: ({ sent, total }) => {
          if (signal.aborted) return;
          this.#update(id, sent >= total ? { kind: 'checking' } : { kind: 'sending', sent, total });
        },
      });
      outcome = { kind: 'done', course };
    } catch (error) {
      outcome = { kind: 'failed', error };
    }
    this.#running.delete(id);
    if (!signal.aborted) this.#update(id, outcome);
    const settled = this.#find(id);
    if (settled !== undefined) this.#onSettled(settled);
    this.#startNext();
  }

  #find(id: number): UploadItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #update(id: number, state: UploadState): void {
    this.#set(this.#items.map((item) => (item.id === id ? { ...item, state } : item)));
  }

  #set(items: readonly UploadItem[]): void {
    this.#items = items;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether it waits or is under way. */
export function isUnfinished({ state }: UploadItem): boolean {
  return state.kind === 'waiting' || state.kind === 'sending' || state.kind === 'checking';
}

/** A browser only says that sending failed, whatever the reason: what lies with the file is found out before. */
async function assertReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new FileGoneError('the file cannot be read', { cause });
  }
}
