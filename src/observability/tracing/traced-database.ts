import type { Database, Transaction, TransactionOptions } from '../../database/database.ts';
import type { Tracing } from './tracing.ts';

/** A database whose transactions are spans if they belong to traced work, such as a request. */
export function tracedDatabase(database: Database, tracing: Tracing): Database {
  return {
    dialect: database.dialect,
    clock: database.clock,
    reader: database.reader,
    onOutcome: (listener) => database.onOutcome(listener),
    ping: () => database.ping(),
    runAlone: (sql, ...values) => database.runAlone(sql, ...values),
    onSignal: (channel, listener) => database.onSignal(channel, listener),
    onReceivingSignals: (listener) => database.onReceivingSignals(listener),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    transaction: (work, options) =>
      tracing.isActive()
        ? tracedTransaction(database, tracing, work, options)
        : database.transaction(work, options),
  };
}

async function tracedTransaction<T>(
  database: Database,
  tracing: Tracing,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions | undefined,
): Promise<T> {
  const span = tracing.startSpan('change', {
    attributes: { 'db.system.name': database.dialect === 'sqlite' ? 'sqlite' : 'postgresql' },
  });
  try {
    return await span.run(() =>
      database.transaction((tx) => {
        // Transactions that share a commit run one after another, each for another request.
        const onCommit = tx.onCommit.bind(tx);
        tx.onCommit = (hook) => onCommit(() => span.run(hook));
        return span.run(() => work(tx));
      }, options),
    );
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'Error');
    throw error;
  } finally {
    span.end();
  }
}
