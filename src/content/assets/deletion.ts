import type { Transaction } from '../../database/database.ts';
import type { FocusType } from '../../events/catalogue.ts';

/**
 * Told of an asset that is deleted, with its last name, in the transaction that deletes it and after every event that
 * the deletion causes: those hold the lines of webhooks, which come before their rows.
 */
export type OnDeleted = (
  tx: Transaction,
  asset: { type: FocusType; id: number; name: string },
) => Promise<void>;
