import type { Database, Transaction } from '../../src/database/database.ts';

/** The use of a member of a transaction, or of a reader outside of transactions. */
export interface DatabaseUse {
  readonly member: keyof Transaction;
  readonly isInTransaction: boolean;
  /** The arguments; empty if the member is not a function. */
  readonly given: readonly unknown[];
  /** The value that the function resolved with, or the member itself if it is not a function. */
  readonly result: unknown;
}

/** The same object with other members. The rest of its methods are those of the object itself. */
export function withMembers<T extends object>(inner: T, members: Partial<T>): T {
  return new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * The same database, which reports how it is used. If the listener throws, so does the use.
 * A statement that runs alone counts as `all` outside of a transaction.
 */
export function watchedDatabase(inner: Database, onUse: (use: DatabaseUse) => void): Database {
  const watched = <T extends object>(reader: T, isInTransaction: boolean): T =>
    new Proxy(reader, {
      get(target, name) {
        const member = name as keyof Transaction;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === 'function') {
          return reporting(value.bind(target), (given, result) =>
            onUse({ member, isInTransaction, given, result }),
          );
        }
        onUse({ member, isInTransaction, given: [], result: value });
        return value;
      },
    });
  const members: Partial<Database> = {
    reader: watched(inner.reader, false),
    transaction: (work, options) => inner.transaction((tx) => work(watched(tx, true)), options),
    runAlone: reporting(inner.runAlone.bind(inner), (given, result) =>
      onUse({ member: 'all', isInTransaction: false, given, result }),
    ),
  };
  return withMembers(inner, members);
}

/** The same function, which reports its arguments and its result. */
function reporting<F extends (...given: never[]) => unknown>(
  inner: F,
  report: (given: readonly unknown[], result: unknown) => void,
): F {
  const called = (...given: never[]) => {
    const returned = inner(...given);
    if (!(returned instanceof Promise)) {
      report(given, returned);
      return returned;
    }
    return returned.then((result: unknown) => {
      report(given, result);
      return result;
    });
  };
  return called as F;
}
