import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ListResponse } from '../../../../../src/ui-api/list-query.ts';
import type { pageQuery } from '../../../api/queries.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import { addressOf } from '../../../components/asset-link.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { RowLink } from '../../../components/row-link.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import type { Column } from '../../../components/table-columns.ts';
import type { TableState } from '../../../components/use-table.ts';
import { content } from '../../../texts/content.ts';
import { useContentActions } from '../changes/use-content-actions.tsx';
import { changedColumn, Location } from './content-cells.tsx';
import type { ContentKind } from './content-kinds.ts';
import { FolderEmpty, type FolderParts } from './folder-empty.tsx';
import styles from './overview.module.css';
import { SubfoldersSwitch } from './subfolders-switch.tsx';
import { useContentList } from './use-content-list.ts';
import { useContentMoves } from './use-content-moves.tsx';

const TYPES = { courses: 'COURSE', equivalents: 'EQUIVALENT', bundles: 'BUNDLE' } as const;

interface ContentRow {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  updated_dt: string;
}

/** The content of one kind in a folder. Several rows can be selected and moved. */
export function ContentTable<T extends ContentRow>({
  kind,
  list,
  columns,
  filters,
  action,
  folderId,
  folderName,
  counts,
  isHome,
}: FolderParts & {
  kind: ContentKind;
  /** The query that reads a page of it. */
  list: (query: object) => ReturnType<typeof pageQuery<ListResponse<T>>>;
  /** The columns between the name and the time of the last change. */
  columns: readonly Column<T>[];
  filters?: (table: TableState) => ReactNode;
  /** Creates one, if there is none. */
  action: ReactNode;
}) {
  const { table, query, recursive } = useContentList(folderId);
  const asked = kind === 'courses' ? query : { ...query, learning_standard: undefined };
  const read = useQuery(list(asked));
  const selection = useSelection(read.data?.data ?? [], ({ id }) => id);
  const { actions, dialogs } = useContentActions(TYPES[kind], selection);
  const moves = useContentMoves(TYPES[kind], selection, actions);
  const nameColumn: Column<T> = {
    id: 'name',
    label: content.columns.name,
    sort: 'name',
    card: 'title',
    cell: ({ id, name, location }) => (
      <>
        <RowLink to="." {...(addressOf(TYPES[kind], id) as object)}>
          <bdi className={styles.name} title={name}>
            {name}
          </bdi>
        </RowLink>
        {recursive && <Location text={location} />}
      </>
    ),
  };
  return (
    <>
      <DataTable
        label={content.kinds[kind]}
        columns={[nameColumn, ...columns, changedColumn]}
        rowKey={({ id }) => id}
        table={table}
        exporting={{
          name: kind,
          list: (client, part) => fetchCurrent(client, list({ ...asked, ...part })),
          steadySort: 'created',
        }}
        query={read}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={content.searchIn[kind]}
        dragging={moves.dragging}
        filters={filters?.(table)}
        selecting={moves.selecting}
        toolbar={<SubfoldersSwitch {...{ table, recursive, folderId, folderName }} />}
        empty={<FolderEmpty {...{ kind, counts, isHome, recursive, table, action }} />}
      />
      {moves.dialog}
      {dialogs}
    </>
  );
}
