import type { LentConnection, PostgresConnections } from './postgres-connections.ts';
import type { PostgresStatements } from './postgres-statements.ts';

/** Ends with the statement, which is a transaction of its own. A signal may be lost, so it need not be on disk. */
const NOTIFY = `select set_config('synchronous_commit', 'off', true) as durability, pg_notify(?, '') as sent`;

/**
 * Sends the signals of transactions to all instances. While one is on its way, those of later transactions are
 * collected, so that many transactions share one. Nothing here rejects: a signal may be lost.
 */
export class PostgresNotifier {
  readonly #connections: PostgresConnections;
  readonly #statements: PostgresStatements;
  readonly #collected = new Set<string>();
  #sending: Promise<void> | null = null;

  /** @param connections for the signals that were collected */
  constructor(connections: PostgresConnections, statements: PostgresStatements) {
    this.#connections = connections;
    this.#statements = statements;
  }

  /**
   * Sends signals behind a `commit` that was sent on the same connection, in the same round trip. Transactions that
   * signal take turns from their `notify` to the end of their commit. Within the transaction, that would include the
   * sync of the disk, so all instances together would commit one after another.
   * @returns when they have been sent; null if another signal is on its way. Then `collect` them after the commit
   */
  sendBehindCommit(connection: LentConnection, channels: readonly string[]): Promise<void> | null {
    return this.#sending === null ? this.#start(this.#notify(connection, channels)) : null;
  }

  /** Sends signals of a committed transaction as soon as no other is on its way. */
  collect(channels: readonly string[]): void {
    for (const channel of channels) this.#collected.add(channel);
    if (this.#sending === null) this.#sendCollected();
  }

  /** Resolves when nothing is on its way. */
  async idle(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  #sendCollected(): void {
    const channels = [...this.#collected];
    this.#collected.clear();
    void this.#start(this.#connections.lend((connection) => this.#notify(connection, channels)));
  }

  #start(sent: Promise<void>): Promise<void> {
    const sending = sent
      .catch(() => undefined)
      .then(() => {
        this.#sending = null;
        if (this.#collected.size > 0) this.#sendCollected();
      });
    this.#sending = sending;
    return sending;
  }

  async #notify(connection: LentConnection, channels: readonly string[]): Promise<void> {
    await Promise.all(
      channels.map((channel) => connection.query(this.#statements.prepare(NOTIFY, [channel]))),
    );
  }
}
