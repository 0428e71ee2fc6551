import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { registrations } from '../../texts/registrations.ts';
import type { TableState } from '../use-table.ts';
import styles from './registration-table.module.css';

const texts = registrations.filters;

/** Says that a table is narrowed to one learner, whose id stands in the address under `learner`, and ends that. */
export function LearnerFilter({ table }: { table: TableState }) {
  const { learner } = table.values;
  if (typeof learner !== 'string') return null;
  return (
    <Button
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
