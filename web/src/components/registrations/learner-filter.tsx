import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { registrations } from '../../texts/registrations.ts';
import { keepsFocus } from '../focus-heading.ts';
import type { TableState } from '../use-table.ts';
import styles from './registration-table.module.css';

const texts = registrations.filters;

/**
 * Shows that a table is filtered by one learner, whose id the address contains under `learner`, and removes that
 * filter.
 */
export function LearnerFilter({ table }: { table: TableState }) {
  const { learner } = table.values;
  if (typeof learner !== 'string') return null;
  return (
    <Button
      ref={keepsFocus}
      variant="default"
      className={styles.oneLearner ?? ''}
      rightSection={<IconX size={14} stroke={1.8} aria-hidden />}
      aria-label={texts.oneLearner(learner)}
      title={learner}
      onClick={() => table.change({ learner: undefined })}
    >
      <span className={styles.oneLearnerName}>
        {texts.learner}: <bdi>{learner}</bdi>
      </span>
    </Button>
  );
}
