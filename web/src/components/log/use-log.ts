import { type TableState, useTable } from '../use-table.ts';

/** The search of a log in the address. A changed filter begins with the newest entries again. */
export function useLog(): TableState {
  const state = useTable(['cursor']);
  return {
    ...state,
    change: (members, options) => state.change({ cursor: undefined, ...members }, options),
  };
}
