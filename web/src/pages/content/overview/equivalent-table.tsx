import { useQuery } from '@tanstack/react-query';
import { type EquivalentOverview, equivalentListQuery } from '../../../api/equivalents.ts';
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

/** Maximum number of languages in a row. */
const LANGUAGES_SHOWN = 6;

/** The equivalents of a folder. */
export function EquivalentTable({ folderId, folderName, counts, isHome }: FolderParts) {
  const { table, query, recursive } = useContentList(folderId);
  const { learning_standard: _ofCourses, ...asked } = query;
  const equivalents = useQuery(equivalentListQuery(asked));
  const selection = useSelection(equivalents.data?.data ?? [], ({ id }) => id);
  const { actions, dialogs } = useContentActions('EQUIVALENT', selection);
  const moves = useContentMoves('EQUIVALENT', selection, actions);
  const columns: Column<EquivalentOverview>[] = [
    {
      id: 'name',
      label: content.columns.name,
      sort: 'name',
      card: 'title',
      cell: ({ id, name, location }) => (
        <>
          <RowLink to="/content/equivalents/$equivalentId" params={{ equivalentId: String(id) }}>
            <bdi className={styles.name}>{name}</bdi>
          </RowLink>
          {recursive && <Location text={location} />}
        </>
      ),
    },
    {
      id: 'languages',
      label: content.columns.languages,
      cell: ({ languages }) => (
        <span title={languages.join(', ')}>
          {languages.slice(0, LANGUAGES_SHOWN).join(', ')}
          {languages.length > LANGUAGES_SHOWN && ` +${languages.length - LANGUAGES_SHOWN}`}
        </span>
      ),
    },
    changedColumn,
  ];
  return (
    <>
      <DataTable
        label={content.kinds.equivalents}
        columns={columns}
        rowKey={({ id }) => id}
        table={table}
        exporting={{
          name: 'equivalents',
          list: (client, part) => fetchCurrent(client, equivalentListQuery({ ...asked, ...part })),
          steadySort: 'created',
        }}
        query={equivalents}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={content.searchIn.equivalents}
        dragging={moves.dragging}
        selecting={moves.selecting}
        toolbar={<SubfoldersSwitch {...{ table, recursive, folderId, folderName }} />}
        empty={
          <FolderEmpty
            kind="equivalents"
            counts={counts}
            isHome={isHome}
            recursive={recursive}
            table={table}
            action={
              <AddButton to="/content/equivalents/new" folderId={folderId}>
                {content.addEquivalent}
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
