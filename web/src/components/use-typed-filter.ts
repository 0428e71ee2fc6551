import { useEffect, useEffectEvent, useState } from 'react';
import { useDebounced } from '../utilities/use-debounced.ts';
import type { TableState } from './use-table.ts';

const AS_IT_IS = { toField: (text: string) => text, toAddress: (text: string) => text };

/**
 * The typed text of a table's filter. The address contains it under `name` once typing pauses.
 * @param forms converts text of the address to that of the field, and back. Null: the address keeps the former text.
 * @returns the typed text, and a function to change it
 */
export function useTypedFilter(
  table: TableState,
  name: string,
  pauseMs: number,
  forms: { toField: (inAddress: string) => string; toAddress: (text: string) => string | null } = AS_IT_IS,
): [typed: string, type: (text: string) => void] {
  const value = table.values[name];
  const inAddress = typeof value === 'string' ? forms.toField(value) : '';
  const [typed, setTyped] = useState(inAddress);
  const [last, setLast] = useState(inAddress);
  /** The text that was last written to the address, until the address has it. */
  const [written, setWritten] = useState<string | null>(null);
  const [clears, setClears] = useState(table.clears);
  if (clears !== table.clears) {
    setClears(table.clears);
    setTyped('');
  }
  // The address was changed by something else (back button, cleared filters), or by typing here.
  if (last !== inAddress) {
    setLast(inAddress);
    setWritten(null);
    // Someone may have typed on before the address had the text.
    if (inAddress !== written && typed.trim() !== inAddress) setTyped(inAddress);
  }
  const settled = useDebounced(typed, pauseMs);
  const write = useEffectEvent((paused: string) => {
    const text = paused.trim();
    // Spaces at the ends of the text in the address stay until someone types.
    if (paused !== typed || paused === inAddress || text === inAddress) return;
    const changed = text === '' ? undefined : forms.toAddress(text);
    if (changed === null) return;
    setWritten(changed === undefined ? '' : forms.toField(changed));
    table.change({ [name]: changed }, { replace: true });
  });
  // Only typed text is written to the address, when typing pauses.
  useEffect(() => write(settled), [settled]);
  return [typed, setTyped];
}
