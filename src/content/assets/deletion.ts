import type { Transaction } from '../../database/database.ts';
import type { FocusType } from '../../events/catalogue.ts';

/**
 * Notified when an asset is deleted, with its last name. This happens in the transaction of the deletion, after
 * its events: events lock the lines of webhooks, which are locked before the rows of webhooks.
 */
export type OnDeleted = (
  tx: Transaction,
  asset: { type: FocusType; id: number; name: string },
) => Promise<void>;
