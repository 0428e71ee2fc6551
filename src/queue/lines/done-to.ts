/**
 * SQL conditions for messages that wait. On SQLite, settled messages stay in the table for a while
 * (`done-messages.ts`). The `done_to` of a line is the position of its last settled message.
 */

/**
 * The condition that a message waits.
 * @param message names the row in `queue_messages`
 * @param line names the row of the line in `queue_lines`
 */
export function waitingSql(message: string, line: string): string {
  return `${message}.id > ${line}.done_to`;
}

/**
 * The condition that a message waits, for statements without the row of the line.
 * @param lineId SQL of the line's id. If it does not depend on the row of the message, an index skips the other
 *   messages.
 */
export function waitingInLineSql(message: string, lineId: string): string {
  return `${message}.id > (select behind.done_to from queue_lines as behind where behind.line_id = ${lineId})`;
}
