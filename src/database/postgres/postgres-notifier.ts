import { within } from '../../time/within.ts';
import type { LentConnection } from './postgres-connections.ts';
import type { PostgresStatements } from './postgres-statements.ts';

/** Ends with the statement, which is a transaction of its own. A signal may be lost, so it need not be on disk. */
const NOTIFY = `select set_config('synchronous_commit', 'off', true) as durability, pg_notify(?, '') as sent`;

/** Others wait for a signal that is on its way, so a connection that does not respond must not delay them for long. */
const TIMEOUT_MS = 3_000;

/** A signal that follows a commit on its connection. */
export interface SignalBehindCommit {
  channels: readonly string[];
  committing: Promise<unknown>;
  /** How long the commit may take. The default is that of the connection's statements. */
  timeoutMs?: number | undefined;
}

/**
 * Sends the signals of transactions to all instances, each on the connection of its transaction. While one is on its way, those
 * of later transactions are collected, so that many transactions share one. Nothing here rejects: a signal may be lost.
 */
export class PostgresNotifier {
  readonly #statements: PostgresStatements;
  readonly #collected = new Set<string>();
  #sending: Promise<void> | null = null;
  /** Whether a transaction waits to send what was collected. */
  #hasCarrier = false;

  constructor(statements: PostgresStatements) {
    this.#statements = statements;
  }

  /**
   * Sends signals behind a `commit` that was sent on the same connection, in the same round trip. Transactions that
   * signal take turns from their `notify` to the end of their commit. Within the transaction, that would include the
   * sync of the disk, so all instances together would commit one after another.
   * @returns when they have been sent; null if another signal is on its way. Then use `sendNext` after the commit
   */
  sendBehindCommit(connection: LentConnection, signal: SignalBehindCommit): Promise<void> | null {
    return this.#sending === null ? this.#send(connection, signal) : null;
  }

  /**
   * Sends signals of a committed transaction once no other is on its way, together with those of other transactions.
   * Resolves when they have been sent, or at once if another transaction sends them.
   */
  async sendNext(connection: LentConnection, channels: readonly string[]): Promise<void> {
    for (const channel of channels) this.#collected.add(channel);
    if (this.#hasCarrier) return;
    this.#hasCarrier = true;
    while (this.#sending !== null) await this.#sending;
    this.#hasCarrier = false;
    const collected = [...this.#collected];
    this.#collected.clear();
    await this.#send(connection, { channels: collected, committing: Promise.resolve() });
  }

  async #send(
    connection: LentConnection,
    { channels, committing, timeoutMs }: SignalBehindCommit,
  ): Promise<void> {
    const statements = channels.map((channel) => this.#statements.prepare(NOTIFY, [channel]));
    // Its own limit would close the connection while the commit is still running, and the commit's response would be lost.
    const sent = Promise.allSettled(statements.map((statement) => connection.query(statement, timeoutMs)));
    const arrived = sent.then(() => true);
    const arrivesSoon = () => within(TIMEOUT_MS, arrived, () => false);
    const turn = arrivesSoon().then(() => {
      if (this.#sending === turn) this.#sending = null;
    });
    this.#sending = turn;
    await committing.catch(() => {});
    if (!(await arrivesSoon())) connection.isUsable = false;
  }
}
