import { Node, Yallist } from 'yallist';

/** Something that a signal can stop. */
export interface Abortable {
  /** Called when the signal is aborted; must not throw. */
  abort(): void;
}

/** The place of something that is watched for, by which it is removed. */
export type WatchedPlace = Node<Abortable>;

interface Watched {
  /** Not a set: decision 14. */
  readonly members: Yallist<Abortable>;
  readonly listener: () => void;
}

/**
 * Stops things when their signal is aborted. Many requests share one signal (that of a shutdown), which gets one
 * listener for all that are out: adding and removing one for each costs more than the rest of a request's own work.
 */
export class AbortWatch {
  readonly #watched = new WeakMap<AbortSignal, Watched>();

  /** Watches a signal, which is not aborted yet, for one more. */
  add(signal: AbortSignal, abortable: Abortable): WatchedPlace {
    const place = new Node(abortable);
    const watched = this.#watched.get(signal);
    if (watched !== undefined) {
      watched.members.pushNode(place);
      return place;
    }
    const members = new Yallist<Abortable>();
    members.pushNode(place);
    const listener = () => {
      this.#watched.delete(signal);
      for (const member of members) member.abort();
    };
    this.#watched.set(signal, { members, listener });
    signal.addEventListener('abort', listener, { once: true });
    return place;
  }

  /** Watches a signal for one less; nothing is left on it after the last. */
  remove(signal: AbortSignal, place: WatchedPlace): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined || place.list !== watched.members) return;
    watched.members.removeNode(place);
    if (watched.members.length > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.listener);
  }
}
