import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { assetSearchQuery, assetsByIdQuery } from '../../api/assets.ts';
import { registrations } from '../../texts/registrations.ts';
import { shared } from '../../texts/shared.ts';
import { type Found, FoundSelect } from '../found-select.tsx';
import type { TableState } from '../use-table.ts';
import styles from './registration-table.module.css';

const texts = registrations.filters;

type Type = 'ACCOUNT' | 'COURSE' | 'EQUIVALENT';

/** Filters a table by one account, course or equivalent, found by name. The address contains its id under `name`. */
export function AssetFilter({
  table,
  name,
  type,
  label,
}: {
  table: TableState;
  name: 'account_id' | 'course_id' | 'equivalent_id';
  type: Type;
  label: string;
}) {
  const value = table.values[name];
  const id = typeof value === 'number' ? value : null;
  const chosen = useQuery(assetsByIdQuery(id === null ? [] : [{ type, id }]));
  return (
    <FoundSelect
      className={styles.filter}
      label={label}
      placeholder={`${label}: ${shared.table.all}`}
      chosen={id === null ? null : { id, name: chosen.data?.[0]?.name ?? null }}
      useFound={finderOf(type)}
      words={{ nothing: texts.nothing, clear: texts.clear(label) }}
      onChange={(chosenId) => table.change({ [name]: chosenId ?? undefined })}
    />
  );
}

/** A hook that finds assets of this type by their names. */
function finderOf(type: Type) {
  return function useFoundAssets(search: string, enabled: boolean): Found {
    return useQuery({
      ...assetSearchQuery([type], search),
      enabled,
      placeholderData: keepPreviousData,
    });
  };
}
