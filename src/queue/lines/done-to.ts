/**
 * SQL conditions for messages that wait. On SQLite, messages that have left their line stay in the table for a while
 * (`done-messages.ts`); a line's `done_to` is the number of the last of them.
 */

/**
 * The message waits.
 * @param message names its row in `queue_messages`
 * @param line names its line's row in `queue_lines`
 */
export function waitingSql(message: string, line: string): string {
  return `${message}.id > ${line}.done_to`;
}

/**
 * The same where the statement does not have the line's row.
 * @param lineId SQL of the line's id. Where it does not depend on the message's row, an index passes over the others.
 */
export function waitingInLineSql(message: string, lineId: string): string {
  return `${message}.id > (select behind.done_to from queue_lines as behind where behind.line_id = ${lineId})`;
}
