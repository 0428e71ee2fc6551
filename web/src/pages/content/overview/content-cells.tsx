import { IconAlertTriangle } from '@tabler/icons-react';
import type { Column } from '../../../components/table-columns.ts';
import { Time } from '../../../components/time.tsx';
import { content } from '../../../texts/content.ts';
import styles from './overview.module.css';

/** How many warnings a package has, when it has any. */
export function WarningCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.warn}>
      <IconAlertTriangle size={14} stroke={1.8} aria-hidden />
      {content.warnings(count)}
    </span>
  );
}

interface Placed {
  location: string;
  updated_dt: string;
}

/** Columns of every list of content: the folder where it matters, and the last change. */
export function placeColumns<T extends Placed>(recursive: boolean): Column<T>[] {
  const changed: Column<T> = {
    id: 'updated',
    label: content.columns.updated,
    sort: 'updated',
    firstDirection: 'desc',
    width: '9rem',
    cell: ({ updated_dt }) => <Time value={updated_dt} />,
  };
  if (!recursive) return [changed];
  const folder: Column<T> = {
    id: 'location',
    label: content.columns.location,
    cell: ({ location }) => (
      <bdi className={styles.location} title={location}>
        {location}
      </bdi>
    ),
  };
  return [folder, changed];
}
