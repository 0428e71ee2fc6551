import type { Database, Dialect, Reader, Transaction } from './database.ts';

/** Facts about the installation, by name. Some of them are secrets, so all are in `service_secrets`. */

/** Whether a database has the table. A database without a schema does not. */
export async function hasFacts(reader: Pick<Reader, 'all'>, dialect: Dialect): Promise<boolean> {
  const tables = await reader.all(
    dialect === 'sqlite'
      ? "select 1 as found from sqlite_master where type = 'table' and name = 'service_secrets'"
      : "select 1 as found where to_regclass('service_secrets') is not null",
  );
  return tables.length > 0;
}

/** A fact; null if it is missing. */
export async function readFact(reader: Pick<Reader, 'all'>, name: string): Promise<string | null> {
  const [row] = await reader.all<{ value: string }>(
    'select service_secrets.value from service_secrets where service_secrets.name = ?',
    name,
  );
  return row?.value ?? null;
}

/** A fact, which is made if it is missing. */
export async function factOf(database: Database, name: string, make: () => string): Promise<string> {
  const known = await readFact(database.reader, name);
  return known ?? (await database.transaction((tx) => keepFact(tx, name, make())));
}

/** Stores a fact unless there is one, and returns the stored one: if several instances start, the first to commit decides. */
export async function keepFact(tx: Transaction, name: string, value: string): Promise<string> {
  await tx.run(
    'insert into service_secrets (name, value) values (?, ?) on conflict (name) do nothing',
    name,
    value,
  );
  const kept = await readFact(tx, name);
  if (kept === null) throw new Error(`the database did not keep ${name}`);
  return kept;
}

/** Stores a fact instead of an earlier one. */
export async function setFact(tx: Transaction, name: string, value: string): Promise<void> {
  await tx.run(
    `insert into service_secrets (name, value) values (?, ?)
     on conflict (name) do update set value = excluded.value`,
    name,
    value,
  );
}

/** Removes a fact. */
export async function removeFact(tx: Transaction, name: string): Promise<void> {
  await tx.run('delete from service_secrets where name = ?', name);
}
