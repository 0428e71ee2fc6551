import { useState } from 'react';

/** Rows that do not move while they are held, and the number of newer rows that wait for the hold to end. */
export interface SteadyRows<Row> {
  rows: readonly Row[];
  waiting: number;
}

/**
 * Keeps the rows of a live list in place while someone points at them. Each held row still shows its latest values.
 * @param of identifies the list, for example by its filter. The rows of another list are shown at once. Null: these
 *   rows are a placeholder until another list is read.
 */
export function useSteadyRows<Row extends { id: number }>(
  rows: readonly Row[] | undefined,
  { held, of }: { held: boolean; of: string | null },
): SteadyRows<Row> | undefined {
  const [shown, setShown] = useState<{ of: string; rows: readonly Row[] }>();
  if (rows === undefined) return undefined;
  if (of === null) return { rows, waiting: 0 };
  if (!held || shown === undefined || shown.of !== of) {
    if (shown?.rows !== rows || shown.of !== of) setShown({ of, rows });
    return { rows, waiting: 0 };
  }
  const latest = new Map(rows.map((row) => [row.id, row]));
  const known = new Set(shown.rows.map(({ id }) => id));
  return {
    rows: shown.rows.map((row) => latest.get(row.id) ?? row),
    waiting: rows.filter(({ id }) => !known.has(id)).length,
  };
}
