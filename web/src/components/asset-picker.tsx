import { Loader, MultiSelect } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { FocusType } from '../../../src/events/catalogue.ts';
import { assetSearchQuery, assetsByIdQuery } from '../api/assets.ts';
import { shared } from '../texts/shared.ts';
import { useDebounced } from '../utilities/use-debounced.ts';
import { AssetIcon } from './asset-icon.tsx';
import styles from './asset-picker.module.css';
import { explainError } from './explain-error.ts';

const TYPING_MS = 200;
const words = shared.assets;

/** A chosen asset. If only its id is known, the name is null and is looked up. */
export interface PickedAsset {
  type: FocusType;
  id: number;
  name: string | null;
}

/**
 * Chooses accounts or content by name; the service searches. With `max` 1, a choice closes the list, and another
 * choice replaces it. As in the WAI-ARIA authoring practices, the list opens on typing, an arrow key or a click,
 * not on focus alone.
 * @param within offers only what an account has; its `account` is null before one is chosen
 */
export function AssetPicker({
  label,
  description,
  types,
  value,
  onChange,
  max,
  within,
  error,
  required = false,
  disabled = false,
}: {
  label: string;
  description?: ReactNode;
  types: readonly FocusType[];
  value: readonly PickedAsset[];
  onChange: (value: PickedAsset[]) => void;
  max?: number;
  within?: { account: number | null; words: { unchosen: string; nothing: string } };
  error?: ReactNode;
  required?: boolean;
  disabled?: boolean;
}) {
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const search = useDebounced(typed.trim(), TYPING_MS);
  const found = useQuery({
    ...assetSearchQuery(types, search, within?.account ?? null),
    enabled: opened && within?.account !== null,
    placeholderData: keepPreviousData,
  });
  const unnamed = value.filter(({ name }) => name === null);
  const named = useQuery(assetsByIdQuery(unnamed));

  const nameOf = (asset: PickedAsset): string => {
    if (asset.name !== null) return asset.name;
    const read = named.data?.find((each) => keyOf(each) === keyOf(asset));
    if (read !== undefined) return read.name;
    return named.isSuccess ? words.missing(asset.id) : String(asset.id);
  };
  const offered = new Map((found.data ?? []).map((asset) => [keyOf(asset), asset]));
  const chosen = new Map(value.map((asset) => [keyOf(asset), asset]));
  const data = [
    ...value.map((asset) => ({ value: keyOf(asset), label: nameOf(asset) })),
    ...[...offered.values()]
      .filter((asset) => !chosen.has(keyOf(asset)))
      .map((asset) => ({ value: keyOf(asset), label: asset.name })),
  ];
  const waiting = opened && within?.account !== null && (found.isFetching || search !== typed.trim());
  const choose = (keys: string[]) => {
    const kept = max === undefined ? keys : keys.slice(-max);
    onChange(
      kept.flatMap((key) => {
        const asset = chosen.get(key) ?? offered.get(key);
        return asset === undefined ? [] : [{ type: asset.type, id: asset.id, name: asset.name }];
      }),
    );
    setTyped('');
    // An open list would cover the fields below, and a click meant for one of them would change the choice.
    if (max === 1 && kept.length === 1) setOpened(false);
  };
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={value.length === 0 ? words.placeholder : ''}
      data={data}
      value={[...chosen.keys()]}
      onChange={choose}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has already filtered. Chosen assets are shown above.
      filter={({ options }) =>
        options.filter((option) => 'value' in option && offered.has(String(option.value)))
      }
      hidePickedOptions
      openOnFocus={false}
      dropdownOpened={opened}
      // The open list covers what is below the field.
      inputWrapperOrder={['label', 'description', 'error', 'input']}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      nothingFoundMessage={
        within?.account === null
          ? within.words.unchosen
          : nothingMessage(found.error, waiting, search === '' ? within?.words.nothing : undefined)
      }
      maxDropdownHeight={280}
      rightSection={waiting ? <Loader size="xs" /> : undefined}
      error={error}
      required={required}
      disabled={disabled}
      renderOption={({ option }) => {
        const asset = offered.get(String(option.value));
        if (asset === undefined) return option.label;
        return (
          <span className={styles.option}>
            <AssetIcon type={asset.type} />
            <span className={styles.words}>
              <span className={styles.name}>{asset.name}</span>
              <span className={styles.location}>
                {[types.length > 1 ? words.types[asset.type] : null, asset.location, `#${asset.id}`]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
          </span>
        );
      }}
    />
  );
}

function keyOf({ type, id }: { type: FocusType; id: number }): string {
  return `${type}:${id}`;
}

function nothingMessage(error: Error | null, waiting: boolean, nothing: string = words.nothing): string {
  if (error !== null) return explainError(error).title;
  return waiting ? words.searching : nothing;
}
