import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { SignalListeners } from '../signal-listeners.ts';
import { clientConfig, limitSession, type PostgresTimeouts } from './postgres-connections.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** How often the server is asked whether it is still there: a connection may end silently. */
const ASK_EVERY_MS = 15_000;
/** How long a polite end of the connection may take. */
const END_DEADLINE_MS = 1_000;

/**
 * Hears what transactions signal (`notify`), on a connection of its own that is made when someone listens for the
 * first time, and made again for as long as it takes when it is lost. Whenever it has been made, all listeners are
 * called, since there is no telling what they missed.
 */
export class PostgresSignals implements AsyncDisposable {
  readonly #url: string;
  readonly #timeouts: PostgresTimeouts;
  readonly #listeners = new SignalListeners();
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;
  #client: Client | null = null;

  constructor(url: string, timeouts: PostgresTimeouts) {
    this.#url = url;
    this.#timeouts = timeouts;
  }

  listen(channel: string, listener: () => void): Disposable {
    const isNew = !this.#listeners.channels.includes(channel);
    const added = this.#listeners.add(channel, listener);
    if (this.#running === null) this.#running = this.#run();
    else if (isNew) void this.#subscribe([channel]);
    return added;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const wasConnected = await this.#hear();
      pauseMs = wasConnected ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Hears until the connection is lost or closed; answers whether there was one. */
  async #hear(): Promise<boolean> {
    const socket = new Socket();
    const client = new Client({ ...clientConfig(this.#url, this.#timeouts), stream: () => socket });
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      // Told by `end` too, but an error without a listener would end the process.
      client.on('error', () => resolve());
      this.#closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ channel }) => this.#listeners.call(channel));
    const asking = setInterval(() => {
      if (this.#client === client) client.query('select 1').catch(() => socket.destroy());
    }, ASK_EVERY_MS);
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
      clearInterval(asking);
      await Promise.race([client.end().catch(() => {}), wait(END_DEADLINE_MS, undefined, { ref: false })]);
      socket.destroy();
    }
  }

  /** Starts listening; what was signalled before may have been missed, so the listeners are called. */
  async #subscribe(channels: readonly string[]): Promise<void> {
    const client = this.#client;
    if (client === null || channels.length === 0) return;
    try {
      await client.query(channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`).join('; '));
    } catch {
      // The connection is lost, or about to be: the next one listens to all channels.
      client.connection.stream.destroy();
      return;
    }
    for (const channel of channels) this.#listeners.call(channel);
  }
}
