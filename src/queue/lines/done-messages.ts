import type { Transaction } from '../../database/database.ts';
import { deleteMessages } from './message-statements.ts';

/** So many are deleted at once, which takes about ten milliseconds. */
const DELETED_TOGETHER = 4_096;

/**
 * Messages that are done with and still in the table, by their numbers. Deleted one by one they would make every commit
 * write the pages that each was on; many together, in the order in which they lie there, share pages (a tenth of all time
 * at 100 webhooks). What is done with is told by the lines (`done_to`), as part of the transaction that settles, so a
 * process that dies with messages undeleted leaves nothing in doubt: the next one deletes them.
 */
export class DoneMessages {
  readonly #positions = new Set<number>();
  readonly #added = new WeakMap<Transaction, readonly number[]>();

  /** Notes messages that are done with by this transaction. */
  add(tx: Transaction, positions: readonly number[]): void {
    this.#added.set(tx, [...(this.#added.get(tx) ?? []), ...positions]);
    tx.onCommit(() => {
      for (const position of positions) this.#positions.add(position);
    });
  }

  /** Deletes them if there are many, or at any rate. */
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

/** Deletes what an earlier process was done with and had not deleted; from then on no line counts on its `done_to`. */
export async function deleteDoneMessages(tx: Transaction): Promise<void> {
  await tx.run(
    `delete from queue_messages where id in
       (select done.id from queue_lines as line cross join queue_messages as done
        where line.done_to > 0 and done.line_id = line.line_id and done.id <= line.done_to)`,
  );
  await tx.run('update queue_lines set done_to = 0 where done_to > 0');
}
