import type { Reader, Transaction } from '../../database/database.ts';

/** The redrive maximum of a queue when it was last read; null if it had none or was never read. */
export async function readRedriveMaximum(
  reader: Pick<Reader, 'all'>,
  queueName: string,
): Promise<number | null> {
  const [kept] = await reader.all<{ value: string }>(
    'select service_secrets.value from service_secrets where service_secrets.name = ?',
    nameFor(queueName),
  );
  return kept === undefined ? null : JSON.parse(kept.value);
}

/** Stores the redrive maximum of a queue for starts during an outage of Amazon SQS. */
export async function keepRedriveMaximum(
  tx: Transaction,
  queueName: string,
  maxReceives: number | null,
): Promise<void> {
  await tx.run(
    `insert into service_secrets (name, value) values (?, ?)
     on conflict (name) do update set value = excluded.value`,
    nameFor(queueName),
    JSON.stringify(maxReceives),
  );
}

/** The table of secrets also has facts about the installation, such as its id. */
function nameFor(queueName: string): string {
  return `sqs_redrive_maximum ${queueName}`;
}
