import type { CourseRecord } from '../../../api/courses.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import type { UploadProgress } from '../../../api/upload.ts';

/** The purpose of an upload. */
export type UploadTarget =
  | { kind: 'course'; folderId: number; folderName: string }
  | { kind: 'version'; courseId: number; courseName: string };

/** The state of an upload. */
export type UploadState =
  | { kind: 'waiting' }
  | { kind: 'sending'; sent: number; total: number }
  /** All bytes are sent. The service reads the package. */
  | { kind: 'checking' }
  | { kind: 'done'; course: CourseRecord }
  | { kind: 'failed'; error: unknown }
  | { kind: 'cancelled' };

/** A package in the queue. */
export interface UploadItem {
  id: number;
  file: File;
  target: UploadTarget;
  state: UploadState;
}

/** Sends a package. The signal aborts it. */
export type SendPackage = (
  file: File,
  target: UploadTarget,
  options: {
    onProgress: (progress: UploadProgress) => void;
    signal: AbortSignal;
    idempotencyKey: string;
  },
) => Promise<CourseRecord>;

/** The file can no longer be read: it was changed, moved or deleted after it was chosen. */
export class FileGoneError extends Error {
  override name = 'FileGoneError';
}

/** Concurrent uploads. The service unpacks only a few at a time anyway. */
const CONCURRENCY = 2;

/**
 * The packages that are uploaded on this page, in the order in which they were chosen. Each has its own idempotency
 * key, so a retry after a lost response creates nothing twice. React reads the queue through
 * `useSyncExternalStore`.
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

  /** Cancels an upload that is not finished. */
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

  /** Queues a failed or cancelled upload again. */
  retry(id: number): void {
    const item = this.#find(id);
    if (item?.state.kind !== 'failed' && item?.state.kind !== 'cancelled') return;
    this.#update(id, { kind: 'waiting' });
    this.#startNext();
  }

  /** Removes finished uploads from the list. */
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
      // An upload that was cancelled and retried waits until its first attempt has ended.
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

/** Whether it is waiting or in progress. */
export function isUnfinished({ state }: UploadItem): boolean {
  return state.kind === 'waiting' || state.kind === 'sending' || state.kind === 'checking';
}

/** Browsers report the same error for every failure, so problems with the file are detected first. */
async function assertReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new FileGoneError('the file cannot be read', { cause });
  }
}
