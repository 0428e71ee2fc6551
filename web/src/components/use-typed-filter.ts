import { useEffect, useEffectEvent, useState } from 'react';
import { useDebounced } from '../utilities/use-debounced.ts';
import type { TableState } from './use-table.ts';

/**
 * The typed text of a table's filter. The address contains it under `name` once typing pauses.
 * @param isAllowed whether the address may contain such a text; the address keeps the former one otherwise
 * @returns the typed text, and a function to change it
 */
export function useTypedFilter(
  table: TableState,
  name: string,
  pauseMs: number,
  isAllowed: (text: string) => boolean = () => true,
): [typed: string, type: (text: string) => void] {
  const value = table.values[name];
  const inAddress = typeof value === 'string' ? value : '';
  const [typed, setTyped] = useState(inAddress);
  const [last, setLast] = useState(inAddress);
  const [clears, setClears] = useState(table.clears);
  if (clears !== table.clears) {
    setClears(table.clears);
    setTyped('');
  }
  // The address was changed by something else (back button, cleared filters), or by typing here.
  if (last !== inAddress) {
    setLast(inAddress);
    if (typed.trim() !== inAddress) setTyped(inAddress);
  }
  const settled = useDebounced(typed, pauseMs);
  const write = useEffectEvent((paused: string) => {
    const text = paused.trim();
    if (paused === typed && text !== inAddress && (text === '' || isAllowed(text)))
      table.change({ [name]: text === '' ? undefined : text, cursor: undefined }, { replace: true });
  });
  // Only typed text is written to the address, when typing pauses.
  useEffect(() => write(settled), [settled]);
  return [typed, setTyped];
}
