import { Socket } from 'node:net';
import { Client } from 'pg';
import { BackgroundTask } from '../../time/background-task.ts';
import { within } from '../../time/within.ts';
import { SignalListeners } from '../signal-listeners.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { limitSession, type PostgresTimeouts, type TimedQuery } from './postgres-connections.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often listeners are called while the database works but signals cannot be received. */
const CALL_EVERY_MS = 1_000;
/** How often a response of the server is requested, because a connection can end silently. */
const ASK_EVERY_MS = 5_000;
/** How long that response may take. Until then, signals are missed on a connection that has ended silently. */
const ANSWER_MS = 3_000;
/** How long a graceful end of the connection may take. */
const END_DEADLINE_MS = 1_000;

/** Notified why signals cannot be received although the database works, at each attempt; then, once, with null. */
export type ReceivingListener = (failure: unknown) => void;

/** What signals need from their database. */
export interface SignalsDependencies {
  address: PostgresAddress;
  timeouts: PostgresTimeouts;
  /** Resolves if the database works, on another connection. */
  ping: () => Promise<void>;
}

/**
 * Receives the signals of transactions (`notify`) on a connection of its own. The first listener opens it. When it is
 * lost, it is opened again; all listeners are then called, because they may have missed a signal. If it cannot be opened
 * although the database works, for example because others use all connections, they are called every second.
 */
export class PostgresSignals implements AsyncDisposable {
  readonly #with: SignalsDependencies;
  readonly #listeners = new SignalListeners();
  readonly #receivingListeners: ReceivingListener[] = [];
  #client: Client | null = null;
  #isReceiving = false;
  #pauseMs = FIRST_PAUSE_MS;
  readonly #task = new BackgroundTask({
    round: async (signal) => {
      const failure = await this.#receive(signal);
      if (failure === null) this.#pauseMs = FIRST_PAUSE_MS;
      else {
        this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
        if (await this.#databaseWorks()) return await this.#callInstead(failure, signal);
      }
      return this.#pauseMs;
    },
    pauseMs: () => this.#pauseMs,
    onError: () => {},
  });

  constructor(dependencies: SignalsDependencies) {
    this.#with = dependencies;
  }

  /** Calls the listener when signals cannot be received, and when they can be again. It must not throw. */
  onReceiving(listener: ReceivingListener): void {
    this.#receivingListeners.push(listener);
  }

  /** Calls the listeners of this instance about its own commit, because no signal will arrive. */
  committed(channels: readonly string[]): void {
    if (!this.#isReceiving) this.#callAll(channels);
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

  async #databaseWorks(): Promise<boolean> {
    return await this.#with.ping().then(
      () => true,
      () => false,
    );
  }

  /** Reports why no signals are received, and calls the listeners instead. Returns the pause before the next attempt. */
  async #callInstead(failure: unknown, signal: AbortSignal): Promise<number> {
    for (const listener of this.#receivingListeners) listener(failure);
    for (let waitedMs = 0; waitedMs < this.#pauseMs && !signal.aborted; waitedMs += CALL_EVERY_MS) {
      this.#callAll(this.#listeners.channels);
      await this.#task.pause(Math.min(CALL_EVERY_MS, this.#pauseMs));
    }
    return 0;
  }

  #callAll(channels: readonly string[]): void {
    for (const channel of channels) this.#listeners.call(channel);
  }

  /**
   * Receives signals until the connection is lost or the task ends. Returns why no connection was possible; null if
   * there was one.
   */
  async #receive(signal: AbortSignal): Promise<unknown> {
    const socket = new Socket();
    const client = new Client({ ...this.#with.address.clientConfig(), stream: () => socket });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    client.once('end', end);
    // `end` follows, but an error without a listener would end the process.
    client.on('error', () => end());
    const onAbort = () => end();
    signal.addEventListener('abort', onAbort);
    client.on('notification', ({ channel }) => this.#listeners.call(channel));
    const question: TimedQuery = { text: 'select 1', query_timeout: ANSWER_MS };
    const asking = new BackgroundTask({
      round: async () => {
        if (this.#client === client) await client.query(question);
      },
      firstPauseMs: ASK_EVERY_MS,
      pauseMs: ASK_EVERY_MS,
      onError: () => socket.destroy(),
    });
    asking.start();
    try {
      await client.connect();
      await limitSession(client, this.#with.timeouts);
      this.#client = client;
      await this.#subscribe(this.#listeners.channels);
      await ended;
      return null;
    } catch (error) {
      return this.#with.address.connectError(error);
    } finally {
      this.#client = null;
      this.#isReceiving = false;
      asking.end();
      signal.removeEventListener('abort', onAbort);
      const closed = client.end().catch(() => {});
      await within(END_DEADLINE_MS, closed, () => {});
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
    if (!this.#isReceiving) for (const listener of this.#receivingListeners) listener(null);
    this.#isReceiving = true;
    this.#callAll(channels);
  }
}
