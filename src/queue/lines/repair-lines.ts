import type { Database } from '../../database/database.ts';
import { deleteDoneMessages } from './done-messages.ts';
import { endAllLeases } from './lease-statements.ts';
import { readMiscounts, recountLine } from './line-statements.ts';

/** Options of repairing lines. */
export interface RepairOptions {
  /** Called with a sentence about a line whose wrong count was corrected. */
  onMiscount: (text: string) => void;
  now: () => number;
}

/**
 * Repairs what an earlier process left behind: deletes messages that it had settled, corrects wrong counts of lines, and
 * ends its leases.
 */
export async function repairLines(database: Database, options: RepairOptions): Promise<void> {
  await database.transaction(deleteDoneMessages);
  await recountLines(database, options);
  // On PostgreSQL, leases may belong to other instances, so they expire there.
  if (database.dialect === 'sqlite') await database.transaction((tx) => endAllLeases(tx, options.now()));
}

/** Corrects wrong counts of lines, and reports each. */
async function recountLines(database: Database, { onMiscount, now }: RepairOptions): Promise<void> {
  const wrong = await readMiscounts(database.reader);
  if (wrong.length === 0) return;
  const corrected = await database.transaction(
    async (tx) => {
      const counts: string[] = [];
      for (const { lineId, pending } of wrong) {
        const stored = await recountLine(tx, lineId, now());
        counts.push(`webhook ${lineId} had the count ${pending} but contains ${stored} messages`);
      }
      return counts;
    },
    { isLong: true },
  );
  for (const count of corrected) onMiscount(`the line of ${count}`);
}
