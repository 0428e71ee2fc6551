import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { BackgroundTask } from '../../time/background-task.ts';
import { SignalListeners } from '../signal-listeners.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { limitSession, type PostgresTimeouts } from './postgres-connections.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often a response of the server is requested, because a connection can end silently. */
const ASK_EVERY_MS = 15_000;
/** How long a graceful end of the connection may take. */
const END_DEADLINE_MS = 1_000;

/**
 * Receives the signals of transactions (`notify`) on a connection of its own. The first listener opens it. When it is
 * lost, it is opened again; all listeners are then called, because they may have missed a signal.
 */
export class PostgresSignals implements AsyncDisposable {
  readonly #address: PostgresAddress;
  readonly #timeouts: PostgresTimeouts;
  readonly #listeners = new SignalListeners();
  #client: Client | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  readonly #task = new BackgroundTask({
    round: async (signal) => {
      const wasConnected = await this.#receive(signal);
      this.#pauseMs = wasConnected ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    },
    pauseMs: () => this.#pauseMs,
    onError: () => {},
  });

  constructor(address: PostgresAddress, timeouts: PostgresTimeouts) {
    this.#address = address;
    this.#timeouts = timeouts;
  }

  listen(channel: string, listener: () => void): Disposable {
    const isNew = !this.#listeners.channels.includes(channel);
    const added = this.#listeners.add(channel, listener);
    this.#task.start();
    if (isNew) void this.#subscribe([channel]);
    return added;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /** Receives signals until the connection is lost or the task ends. Returns whether there was a connection. */
  async #receive(signal: AbortSignal): Promise<boolean> {
    const socket = new Socket();
    const client = new Client({ ...this.#address.clientConfig(), stream: () => socket });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.once('end', end);
    // `end` follows, but an error without a listener would end the process.
    client.on('error', () => end());
    const onAbort = () => end();
    signal.addEventListener('abort', onAbort);
    client.on('notification', ({ channel }) => this.#listeners.call(channel));
    const asking = new BackgroundTask({
      round: async () => {
        if (this.#client === client) await client.query('select 1');
      },
      firstPauseMs: ASK_EVERY_MS,
      pauseMs: ASK_EVERY_MS,
      onError: () => socket.destroy(),
    });
    asking.start();
    try {
      await client.connect();
      await limitSession(client, this.#timeouts);
      this.#client = client;
      await this.#subscribe(this.#listeners.channels);
      await ended;
      return true;
    } catch {
      return false;
    } finally {
      this.#client = null;
      asking.end();
      signal.removeEventListener('abort', onAbort);
      await Promise.race([client.end().catch(() => {}), wait(END_DEADLINE_MS, undefined, { ref: false })]);
      socket.destroy();
    }
  }

  /** Starts listening, and calls the listeners, because earlier signals may have been missed. */
  async #subscribe(channels: readonly string[]): Promise<void> {
    const client = this.#client;
    if (client === null || channels.length === 0) return;
    try {
      await client.query(channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`).join('; '));
    } catch {
      // The connection is lost or about to be. The next one listens to all channels.
      client.connection.stream.destroy();
      return;
    }
    for (const channel of channels) this.#listeners.call(channel);
  }
}
