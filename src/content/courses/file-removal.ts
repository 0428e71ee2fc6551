import type { Logger } from '../../observability/log.ts';
import { SECOND_MS } from '../../time/units.ts';
import { within } from '../../time/within.ts';
import type { ContentStore } from '../files/content-store.ts';

/** How long a deletion waits for its files. A store that does not respond takes 30 seconds for each version. */
const WAIT_MS = 5 * SECOND_MS;

/** Removes the files of deleted courses. Files that it does not remove are orphans, which are removed later. */
export class FileRemoval {
  readonly #store: ContentStore;
  readonly #log: Logger;
  #hasEnded = false;

  constructor({ store, log }: { store: ContentStore; log: Logger }) {
    this.#store = store;
    this.#log = log;
  }

  /** Resolves when the files are removed, or after a few seconds: the removal then continues. Never rejects. */
  async remove(contentKeys: readonly string[]): Promise<void> {
    await within(WAIT_MS, this.#removeAll(contentKeys), () => {});
  }

  /** Ends the removals in progress before their next version. */
  end(): void {
    this.#hasEnded = true;
  }

  async #removeAll(contentKeys: readonly string[]): Promise<void> {
    for (const key of contentKeys) {
      if (this.#hasEnded) return;
      try {
        await this.#store.remove(key);
      } catch (error) {
        this.#log.warn('the files of a deleted course could not be removed; they will be removed later', {
          error,
        });
      }
    }
  }
}
