import type { Transaction } from '../../database/database.ts';

/** The columns of a webhook that sign its postbacks. Secrets are encrypted; times are in epoch milliseconds. */
export interface SigningRow {
  signing_secret: string | null;
  signing_since: number | null;
  former_signing_secret: string | null;
  former_signing_secret_until: number | null;
}

/** Reads the signing columns and the revision; undefined if the webhook does not exist or was deleted. */
export async function readSigning(
  tx: Transaction,
  webhookId: number,
): Promise<(SigningRow & { revision: number }) | undefined> {
  return await tx.query
    .selectFrom('webhooks')
    .select([
      'webhooks.signing_secret',
      'webhooks.signing_since',
      'webhooks.former_signing_secret',
      'webhooks.former_signing_secret_until',
      'webhooks.revision',
    ])
    .where('webhooks.id', '=', webhookId)
    .where('webhooks.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Writes the signing columns. The new revision makes delivery read the secrets again. */
export async function writeSigning(tx: Transaction, webhookId: number, row: SigningRow): Promise<void> {
  await tx.query
    .updateTable('webhooks')
    .set((eb) => ({ ...row, revision: eb('revision', '+', 1) }))
    .where('webhooks.id', '=', webhookId)
    .execute();
}
