import type {
  Database,
  NamedRow,
  RowsStatement,
  SqlValue,
  Transaction,
} from '../../src/database/database.ts';

/** A database that records its plain statements with their query plans. */
export interface WatchedDatabase {
  readonly database: Database;
  /** The plain statements so far, each with its latest values. */
  readonly statements: ReadonlyMap<string, readonly SqlValue[]>;
  /** The steps of the plans of all statements so far, as `explain query plan` returns them, each with its statement. */
  plans(): Promise<{ statement: string; step: string }[]>;
}

/** A row's values in the order of the parameters in SQLite's form of a statement. */
export function valuesOf({ columns }: RowsStatement, row: NamedRow): SqlValue[] {
  return columns.map((column) => row[column]!);
}

/** Wraps the given database and records its statements. */
export function watchStatements(inner: Database): WatchedDatabase {
  const statements = new Map<string, readonly SqlValue[]>();
  const noteFor = (statement: RowsStatement, rows: readonly NamedRow[]) => {
    if (inner.dialect === 'postgres') statements.set(statement.forAll, [JSON.stringify(rows)]);
    else statements.set(statement.forOne, valuesOf(statement, rows.at(-1)!));
  };
  const watched = (tx: Transaction): Transaction => ({
    dialect: tx.dialect,
    query: tx.query,
    all: (sql, ...values) => {
      statements.set(sql, values);
      return tx.all(sql, ...values);
    },
    run: (sql, ...values) => {
      statements.set(sql, values);
      return tx.run(sql, ...values);
    },
    allFor: (statement, rows) => {
      noteFor(statement, rows);
      return tx.allFor(statement, rows);
    },
    runFor: (statement, rows) => {
      noteFor(statement, rows);
      return tx.runFor(statement, rows);
    },
    insertMany: (...given) => tx.insertMany(...given),
    onCommit: (hook) => tx.onCommit(hook),
    signal: (channel) => tx.signal(channel),
  });
  return {
    statements,
    database: {
      dialect: inner.dialect,
      clock: inner.clock,
      onOutcome: (listener) => inner.onOutcome(listener),
      reader: inner.reader,
      ping: () => inner.ping(),
      runAlone: (sql, ...values) => {
        statements.set(sql, values);
        return inner.runAlone(sql, ...values);
      },
      transaction: (work, options) => inner.transaction((tx) => work(watched(tx)), options),
      onSignal: (channel, listener) => inner.onSignal(channel, listener),
      onReceivingSignals: (listener) => inner.onReceivingSignals(listener),
      [Symbol.asyncDispose]: async () => {},
    },
    async plans() {
      const steps = [...statements].map(async ([statement, values]) => {
        const rows = await inner.reader.all<{ detail: string }>(`explain query plan ${statement}`, ...values);
        return rows.map(({ detail }) => ({ statement, step: detail }));
      });
      return (await Promise.all(steps)).flat();
    },
  };
}
