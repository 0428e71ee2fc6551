import { Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assetSearchQuery, assetsByIdQuery } from '../../api/assets.ts';
import { registrations } from '../../texts/registrations.ts';
import { shared } from '../../texts/shared.ts';
import { useDebounced } from '../../utilities/use-debounced.ts';
import { explainError } from '../explain-error.ts';
import type { TableState } from '../use-table.ts';
import styles from './registration-table.module.css';

const texts = registrations.filters;
const TYPING_MS = 200;

/** Filters a table by one account, course or equivalent, found by name. The address contains its id under `name`. */
export function AssetFilter({
  table,
  name,
  type,
  label,
}: {
  table: TableState;
  name: 'account_id' | 'course_id' | 'equivalent_id';
  type: 'ACCOUNT' | 'COURSE' | 'EQUIVALENT';
  label: string;
}) {
  const value = table.values[name];
  const id = typeof value === 'number' ? value : null;
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const chosen = useQuery(assetsByIdQuery(id === null ? [] : [{ type, id }]));
  const chosenName = chosen.data?.[0]?.name ?? (id === null ? '' : `#${id}`);
  // The text in the field after a choice is not a search.
  const search = useDebounced(typed === chosenName ? '' : typed.trim(), TYPING_MS);
  const found = useQuery({
    ...assetSearchQuery([type], search),
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const offered = (found.data ?? []).filter((asset) => asset.id !== id);
  const known = id === null ? [] : [{ value: String(id), label: chosenName }];
  return (
    <Select
      className={styles.filter ?? ''}
      aria-label={label}
      placeholder={`${label}: ${shared.table.all}`}
      data={[...known, ...offered.map((asset) => ({ value: String(asset.id), label: asset.name }))]}
      value={id === null ? null : String(id)}
      onChange={(choice) => table.change({ [name]: choice === null ? undefined : Number(choice) })}
      searchable
      openOnFocus={false}
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has already filtered.
      filter={({ options }) => options}
      clearable
      clearButtonProps={{ 'aria-label': texts.clear(label) }}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      nothingFoundMessage={
        found.error !== null
          ? explainError(found.error).title
          : found.isFetching
            ? texts.searching
            : texts.nothing
      }
      maxDropdownHeight={280}
      comboboxProps={{ width: 280, position: 'bottom-start' }}
      data-chosen={id !== null || undefined}
    />
  );
}
