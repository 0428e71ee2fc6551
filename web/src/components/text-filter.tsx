import { MAX_LEARNER_ID_LENGTH } from '../../../src/text-lengths.ts';
import styles from './data-table.module.css';
import { FilterInput } from './filter-input.tsx';
import type { TableState } from './use-table.ts';

const TYPING_MS = 400;

/** Filters a table by an exact text. The address contains it under `name`. */
export function TextFilter(field: { table: TableState; name: string; label: string }) {
  return (
    <FilterInput
      {...field}
      className={styles.filter ?? ''}
      pauseMs={TYPING_MS}
      maxLength={MAX_LEARNER_ID_LENGTH}
    />
  );
}
