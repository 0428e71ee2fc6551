/** Shows the measurements of a proof, as `console.table` does. */
export function showTable(rows: unknown): void {
  // biome-ignore lint/suspicious/noConsole: whoever runs the proof wants the table
  console.table(rows);
}
