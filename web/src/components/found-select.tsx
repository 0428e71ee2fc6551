import { Select } from '@mantine/core';
import { useState } from 'react';
import { shared } from '../texts/shared.ts';
import { useDebounced } from '../utilities/use-debounced.ts';
import { explainError } from './explain-error.ts';

const TYPING_MS = 200;

interface Named {
  id: number;
  name: string;
}

/** The result of a search, as a query returns it. */
export interface Found {
  data: readonly Named[] | undefined;
  error: Error | null;
  isPending: boolean;
  isPlaceholderData: boolean;
}

/** A field that chooses one record, which the service finds by its name. */
export function FoundSelect({
  label,
  placeholder,
  className,
  chosen,
  useFound,
  words,
  onChange,
}: {
  label: string;
  placeholder: string;
  className?: string | undefined;
  /** Its name is null until it is known. */
  chosen: { id: number; name: string | null } | null;
  /** A hook that finds records by their names. It keeps the former ones while it searches. */
  useFound: (search: string, enabled: boolean) => Found;
  /** What to show if nothing is found, and the name of the button that clears the field. */
  words: { nothing: string; clear: string };
  onChange: (id: number | null) => void;
}) {
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const [known, setKnown] = useState<Named | null>(null);
  const knownName = known !== null && known.id === chosen?.id ? known.name : null;
  const chosenName = chosen === null ? '' : (chosen.name ?? knownName ?? `#${chosen.id}`);
  // The text in the field after a choice is not a search.
  const search = useDebounced(typed === chosenName ? '' : typed.trim(), TYPING_MS);
  const { data = [], error, isPending, isPlaceholderData } = useFound(search, opened);
  const offered = data.filter(({ id }) => id !== chosen?.id);
  const all = chosen === null ? offered : [{ id: chosen.id, name: chosenName }, ...offered];
  return (
    <Select
      className={className ?? ''}
      aria-label={label}
      placeholder={placeholder}
      data={all.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={chosen === null ? null : String(chosen.id)}
      onChange={(choice) => {
        const id = choice === null ? null : Number(choice);
        setKnown(data.find((each) => each.id === id) ?? null);
        onChange(id);
      }}
      searchable
      openOnFocus={false}
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has already filtered.
      filter={({ options }) => options}
      clearable
      clearButtonProps={{ 'aria-label': words.clear }}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      nothingFoundMessage={
        error !== null
          ? explainError(error).title
          : isPending || isPlaceholderData
            ? shared.table.searching
            : words.nothing
      }
      maxDropdownHeight={280}
      comboboxProps={{ width: 280, position: 'bottom-start' }}
      data-chosen={chosen !== null || undefined}
    />
  );
}
