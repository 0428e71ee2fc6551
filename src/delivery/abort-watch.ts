/** Something that a signal can stop. */
export interface Abortable {
  /** Called when the signal is aborted; must not throw. */
  abort(): void;
}

interface Watched {
  readonly members: Set<Abortable>;
  readonly listener: () => void;
}

/**
 * Stops things when their signal is aborted. Many requests share one signal (that of a shutdown), which gets one
 * listener for all that are out: adding and removing one for each costs more than the rest of a request's own work.
 */
export class AbortWatch {
  readonly #watched = new WeakMap<AbortSignal, Watched>();

  /** Watches a signal, which is not aborted yet, for one more. */
  add(signal: AbortSignal, abortable: Abortable): void {
    const watched = this.#watched.get(signal);
    if (watched !== undefined) {
      watched.members.add(abortable);
      return;
    }
    const members = new Set([abortable]);
    const listener = () => {
      this.#watched.delete(signal);
      for (const member of members) member.abort();
    };
    this.#watched.set(signal, { members, listener });
    signal.addEventListener('abort', listener, { once: true });
  }

  /** Watches a signal for one less; nothing is left on it after the last. */
  remove(signal: AbortSignal, abortable: Abortable): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined) return;
    watched.members.delete(abortable);
    if (watched.members.size > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.listener);
  }
}
