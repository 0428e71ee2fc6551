/** Whether charts are shown as tables, as set in the address. The default is omitted. */
export interface ChartSearch {
  table?: 'yes';
}

/** Drops unknown members. */
export function chartSearch({ table }: Record<string, unknown>): ChartSearch {
  return table === 'yes' ? { table } : {};
}
