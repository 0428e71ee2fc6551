/** Whether the service responded to the last request. React reads it through `useSyncExternalStore`. */
export class Connection {
  #lost = false;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly isLost = (): boolean => this.#lost;

  report(lost: boolean): void {
    if (this.#lost === lost) return;
    this.#lost = lost;
    for (const listener of this.#listeners) listener();
  }
}
