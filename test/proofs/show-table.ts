import { Console } from 'node:console';

/** Shows the measurements of a proof on standard output. */
export function showTable(rows: unknown): void {
  new Console(process.stdout).table(rows);
}
