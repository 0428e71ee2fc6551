import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { factOf, keepFact, removeFact } from './facts.ts';

const INSTALLATION = 'installation_id';

/**
 * The id of the installation that a database belongs to, which is copied with the database. Generated if it is missing, as in
 * a new database and in those of earlier releases.
 */
export async function installationOf(database: Database): Promise<string> {
  return await factOf(database, INSTALLATION, randomUUID);
}

/** Gives a copied database a new id and returns it. */
export async function renewInstallation(database: Database): Promise<string> {
  return await database.transaction(async (tx) => {
    await removeFact(tx, INSTALLATION);
    // The copies on Amazon SQS belong to the original installation.
    await tx.run('delete from sqs_placed');
    await tx.run('update sqs_earlier_lines set is_awaited = 0');
    return await keepFact(tx, INSTALLATION, randomUUID());
  });
}
