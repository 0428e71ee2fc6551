/** Whether charts are shown as tables, as an address says it; as charts it says nothing. */
export interface ChartSearch {
  table?: 'yes';
}

/** Drops what is not known. */
export function chartSearch({ table }: Record<string, unknown>): ChartSearch {
  return table === 'yes' ? { table } : {};
}
