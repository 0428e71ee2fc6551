import { Select } from '@mantine/core';
import { shared } from '../texts/shared.ts';
import styles from './data-table.module.css';
import type { TableState } from './use-table.ts';

/** A choice that filters a table. The address contains it under `name`. */
export function TableFilter({
  table,
  name,
  label,
  options,
}: {
  table: TableState;
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}) {
  const value = table.values[name];
  return (
    <Select
      className={styles.filter ?? ''}
      aria-label={label}
      value={value === undefined ? '' : String(value)}
      onChange={(chosen) => table.change({ [name]: chosen === '' || chosen === null ? undefined : chosen })}
      data={[{ value: '', label: `${label}: ${shared.table.all}` }, ...options]}
      data-chosen={value !== undefined || undefined}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
