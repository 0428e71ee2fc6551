/** Who listens to which channel, in this process. */
export class SignalListeners {
  readonly #channels = new Map<string, Set<() => void>>();

  /** The channels that someone listens to. */
  get channels(): readonly string[] {
    return [...this.#channels.keys()];
  }

  add(channel: string, listener: () => void): Disposable {
    // A function of its own each time, so that one listener may be added twice and taken away once.
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
