import type { Transaction } from '../../database/database.ts';
import { leaseDueLines } from './lease-statements.ts';
import { readNextDue } from './line-statements.ts';

/** Leases lines that are due. Returns their receive counts, and when the next line is due. */
export async function leaseDue(
  tx: Transaction,
  request: Parameters<typeof leaseDueLines>[1],
): Promise<{ taken: Map<number, number>; nextAt: number | null }> {
  const nothing = new Map<number, number>();
  if (tx.dialect === 'postgres') {
    const [taken, nextAt] = await Promise.all([
      request.limit > 0 ? leaseDueLines(tx, request) : nothing,
      readNextDue(tx),
    ]);
    return { taken, nextAt };
  }
  // Usually, no other line is due, and a read costs a tenth of an update that finds none.
  const nextAt = await readNextDue(tx);
  if (request.limit <= 0 || nextAt === null || nextAt > request.now) return { taken: nothing, nextAt };
  return { taken: await leaseDueLines(tx, request), nextAt: await readNextDue(tx) };
}
