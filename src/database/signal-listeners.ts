/** The listeners of each channel in this process. */
export class SignalListeners {
  readonly #channels = new Map<string, Set<() => void>>();

  /** The channels that have listeners. */
  get channels(): readonly string[] {
    return [...this.#channels.keys()];
  }

  add(channel: string, listener: () => void): Disposable {
    // A new function each time, so that a listener that was added twice can be removed once.
    const call = () => listener();
    const listeners = this.#channels.get(channel) ?? new Set();
    listeners.add(call);
    this.#channels.set(channel, listeners);
    return {
      [Symbol.dispose]: () => {
        listeners.delete(call);
        if (listeners.size === 0 && this.#channels.get(channel) === listeners) this.#channels.delete(channel);
      },
    };
  }

  call(channel: string): void {
    for (const listener of [...(this.#channels.get(channel) ?? [])]) listener();
  }
}
