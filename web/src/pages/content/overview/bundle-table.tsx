import { useQuery } from '@tanstack/react-query';
import { type BundleOverview, bundleListQuery } from '../../../api/bundles.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { RowLink } from '../../../components/row-link.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import type { Column } from '../../../components/table-columns.ts';
import { content } from '../../../texts/content.ts';
import { useContentActions } from '../changes/use-content-actions.tsx';
import { AddButton } from './add-button.tsx';
import { changedColumn, Location } from './content-cells.tsx';
import { FolderEmpty, type FolderParts } from './folder-empty.tsx';
import styles from './overview.module.css';
import { SubfoldersSwitch } from './subfolders-switch.tsx';
import { useContentList } from './use-content-list.ts';
import { useContentMoves } from './use-content-moves.tsx';

/** The bundles of a folder. */
export function BundleTable({ folderId, folderName, counts, isHome }: FolderParts) {
  const { table, query, recursive } = useContentList(folderId);
  const { learning_standard: _ofCourses, ...asked } = query;
  const bundles = useQuery(bundleListQuery(asked));
  const selection = useSelection(bundles.data?.data ?? [], ({ id }) => id);
  const { actions, dialogs } = useContentActions('BUNDLE', selection);
  const moves = useContentMoves('BUNDLE', selection, actions);
  const columns: Column<BundleOverview>[] = [
    {
      id: 'name',
      label: content.columns.name,
      sort: 'name',
      card: 'title',
      cell: ({ id, name, location }) => (
        <>
          <RowLink to="/content/bundles/$bundleId" params={{ bundleId: String(id) }}>
            <bdi className={styles.name}>{name}</bdi>
          </RowLink>
          {recursive && <Location text={location} />}
        </>
      ),
    },
    {
      id: 'contents',
      label: content.columns.contents,
      align: 'end',
      width: '8rem',
      cell: ({ content_count }) => content_count,
    },
    changedColumn,
  ];
  return (
    <>
      <DataTable
        label={content.kinds.bundles}
        columns={columns}
        rowKey={({ id }) => id}
        table={table}
        exporting={{
          name: 'bundles',
          list: (client, part) => fetchCurrent(client, bundleListQuery({ ...asked, ...part })),
          steadySort: 'created',
        }}
        query={bundles}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={content.searchIn.bundles}
        dragging={moves.dragging}
        selecting={moves.selecting}
        toolbar={<SubfoldersSwitch {...{ table, recursive, folderId, folderName }} />}
        empty={
          <FolderEmpty
            kind="bundles"
            counts={counts}
            isHome={isHome}
            recursive={recursive}
            table={table}
            action={
              <AddButton to="/content/bundles/new" folderId={folderId}>
                {content.addBundle}
              </AddButton>
            }
          />
        }
      />
      {moves.dialog}
      {dialogs}
    </>
  );
}
