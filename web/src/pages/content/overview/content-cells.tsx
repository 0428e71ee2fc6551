import { IconAlertTriangle } from '@tabler/icons-react';
import type { Column } from '../../../components/table-columns.ts';
import { Time } from '../../../components/time.tsx';
import { content } from '../../../texts/content.ts';
import styles from './overview.module.css';

/** The number of warnings of a package, if there are any. */
export function WarningCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.warn}>
      <IconAlertTriangle size={14} stroke={1.8} aria-hidden />
      {content.warnings(count)}
    </span>
  );
}

/** The location of an asset, below its name. */
export function Location({ text }: { text: string }) {
  return (
    <bdi className={styles.location} title={text}>
      {text}
    </bdi>
  );
}

/** The time of the last change: a column of every content list. */
export const changedColumn: Column<{ updated_dt: string }> = {
  id: 'updated',
  isSpare: true,
  label: content.columns.updated,
  sort: 'updated',
  firstDirection: 'desc',
  width: '9rem',
  cell: ({ updated_dt }) => <Time value={updated_dt} />,
};
