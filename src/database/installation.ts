import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from './database.ts';

const INSTALLATION = 'installation_id';

/**
 * The id of the installation that a database belongs to, which is copied with the database. Generated if it is missing, as in
 * a new database and in those of earlier releases.
 */
export async function installationOf(database: Database): Promise<string> {
  const [kept] = await database.reader.all<{ value: string }>(
    'select service_secrets.value from service_secrets where service_secrets.name = ?',
    INSTALLATION,
  );
  return kept?.value ?? (await database.transaction(keepNew));
}

/** Gives a copied database a new id and returns it. */
export async function renewInstallation(database: Database): Promise<string> {
  return await database.transaction(async (tx) => {
    await tx.run('delete from service_secrets where name = ?', INSTALLATION);
    // The copies on Amazon SQS belong to the original installation.
    await tx.run('delete from sqs_placed');
    await tx.run('update sqs_earlier_lines set is_awaited = 0');
    return await keepNew(tx);
  });
}

async function keepNew(tx: Transaction): Promise<string> {
  await tx.run(
    'insert into service_secrets (name, value) values (?, ?) on conflict (name) do nothing',
    INSTALLATION,
    randomUUID(),
  );
  const [row] = await tx.all<{ value: string }>(
    'select service_secrets.value from service_secrets where service_secrets.name = ?',
    INSTALLATION,
  );
  if (row === undefined) throw new Error(`the database did not keep ${INSTALLATION}`);
  return row.value;
}
