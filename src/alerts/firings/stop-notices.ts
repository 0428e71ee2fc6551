import type { Transaction } from '../../database/database.ts';
import { deleteWaitingNotices, endAttempts, readUnsentBatches } from '../notices/notice-store.ts';
import type { Channel } from '../rules/alert-rule.ts';
import { unreportBegins } from './firing-store.ts';

/**
 * Stops sending the notices of a rule over some channels. An alert that is firing is reported again, over the channels
 * that the rule then has, if no notice about its beginning was sent or still waits.
 */
export async function stopNotices(
  tx: Transaction,
  ruleId: number,
  channels: readonly Channel[],
): Promise<void> {
  for (const channel of channels) {
    const batches = await readUnsentBatches(tx, ruleId, channel);
    await deleteWaitingNotices(tx, ruleId, channel);
    await endAttempts(tx, ruleId, channel);
    if (batches.length > 0) await unreportBegins(tx, ruleId, batches);
  }
}
