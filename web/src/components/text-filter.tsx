import { CloseButton, TextInput } from '@mantine/core';
import { MAX_LEARNER_ID_LENGTH } from '../../../src/text-lengths.ts';
import { shared } from '../texts/shared.ts';
import styles from './data-table.module.css';
import type { TableState } from './use-table.ts';
import { useTypedFilter } from './use-typed-filter.ts';

const TYPING_MS = 400;

/** Filters a table by an exact text. The address contains it under `name`. */
export function TextFilter({ table, name, label }: { table: TableState; name: string; label: string }) {
  const [typed, setTyped] = useTypedFilter(table, name, TYPING_MS);
  return (
    <TextInput
      className={styles.filter ?? ''}
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      maxLength={MAX_LEARNER_ID_LENGTH}
      rightSection={
        typed === '' ? null : (
          <CloseButton size="sm" aria-label={shared.table.clearSearch} onClick={() => setTyped('')} />
        )
      }
    />
  );
}
