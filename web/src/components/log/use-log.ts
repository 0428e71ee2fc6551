import { type TableState, useTable } from '../use-table.ts';

/** The search of a log in the address. Changing a filter returns to the newest entries. */
export function useLog(): TableState {
  const state = useTable(['cursor']);
  return {
    ...state,
    change: (members, options) => state.change({ cursor: undefined, ...members }, options),
  };
}
