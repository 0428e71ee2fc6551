import { Switch } from '@mantine/core';
import type { TableState } from '../../../components/use-table.ts';
import { content } from '../../../texts/content.ts';
import styles from './overview.module.css';
import { includesSubfolders } from './use-content-list.ts';

/** Whether a list includes subfolders. A search always does, and the switch shows that. */
export function SubfoldersSwitch({
  table,
  recursive,
  folderId,
  folderName,
}: {
  table: TableState;
  recursive: boolean;
  folderId: number;
  folderName: string;
}) {
  if (table.values.search !== undefined)
    return <div className={`${styles.below} ${styles.found}`}>{content.searching(folderName)}</div>;
  return (
    <div className={styles.below}>
      <Switch
        size="sm"
        label={content.below}
        checked={recursive}
        onChange={({ currentTarget: { checked } }) => {
          const isDefault = checked === includesSubfolders(folderId, undefined);
          table.change({ below: isDefault ? undefined : checked ? 'yes' : 'no' });
        }}
      />
    </div>
  );
}
