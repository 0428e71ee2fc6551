import type { Transaction } from '../../database/database.ts';
import { deleteMessages } from './message-statements.ts';

/** Number of messages that are deleted together, which takes about ten milliseconds. */
const DELETED_TOGETHER = 4_096;

/**
 * Settled messages that are still in the table, by position. If they were deleted one by one, every commit would write
 * all of their pages. Messages that are deleted together, in the order of the table, share pages, which saves a tenth
 * of all time with 100 webhooks. Each line records its last settled message (`done_to`) in the transaction that
 * settles. After a crash, the next process deletes the messages that remain.
 */
export class DoneMessages {
  readonly #positions = new Set<number>();
  readonly #added = new WeakMap<Transaction, readonly number[]>();

  /** Records the messages that this transaction has settled. */
  add(tx: Transaction, positions: readonly number[]): void {
    this.#added.set(tx, [...(this.#added.get(tx) ?? []), ...positions]);
    tx.onCommit(() => {
      for (const position of positions) this.#positions.add(position);
    });
  }

  /** Deletes the settled messages if there are many, or in any case with `atAnyRate`. */
  async delete(tx: Transaction, { atAnyRate }: { atAnyRate: boolean }): Promise<void> {
    const added = this.#added.get(tx) ?? [];
    if (!atAnyRate && this.#positions.size + added.length < DELETED_TOGETHER) return;
    const deleted = [...this.#positions, ...added].sort((a, b) => a - b);
    if (deleted.length === 0) return;
    await deleteMessages(tx, deleted);
    tx.onCommit(() => {
      for (const position of deleted) this.#positions.delete(position);
    });
  }
}

/**
 * Deletes the messages that an earlier process had settled but not deleted. After that, no line depends on its
 * `done_to`.
 */
export async function deleteDoneMessages(tx: Transaction): Promise<void> {
  await tx.run(
    `delete from queue_messages where id in
       (select done.id from queue_lines as line cross join queue_messages as done
        where line.done_to > 0 and done.line_id = line.line_id and done.id <= line.done_to)`,
  );
  await tx.run('update queue_lines set done_to = 0 where done_to > 0');
}
