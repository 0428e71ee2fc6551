import { type TableState, useTable } from '../use-table.ts';

/** The search of a log in the address. */
export function useLog(): TableState {
  return useTable(['cursor']);
}
