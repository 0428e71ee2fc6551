import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { useRef } from 'react';
import { shared } from '../texts/shared.ts';
import { firstOf } from '../utilities/length-of.ts';
import type { TableState } from './use-table.ts';
import { useTypedFilter } from './use-typed-filter.ts';

/**
 * A text field that filters a table, with a button that clears it. The address contains the text under `name` once typing
 * pauses.
 */
export function FilterInput({
  table,
  name,
  label,
  pauseMs,
  maxLength,
  ...input
}: Pick<TextInputProps, 'className' | 'type' | 'leftSection'> & {
  table: TableState;
  name: string;
  label: string;
  pauseMs: number;
  /** In characters, unlike the attribute of the element. */
  maxLength: number;
}) {
  const [typed, setTyped] = useTypedFilter(table, name, pauseMs);
  const field = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      {...input}
      ref={field}
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(firstOf(event.currentTarget.value.trimStart(), maxLength))}
      rightSection={
        typed === '' ? null : (
          <CloseButton
            size="sm"
            aria-label={shared.table.clearSearch}
            onClick={() => {
              setTyped('');
              // The button disappears.
              field.current?.focus();
            }}
          />
        )
      }
    />
  );
}
