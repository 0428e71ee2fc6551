import { useQuery } from '@tanstack/react-query';
import { LEARNING_STANDARDS } from '../../../../../src/course-packages/learning-standard.ts';
import { courseListQuery } from '../../../api/courses.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import { TableFilter } from '../../../components/table-filter.tsx';
import { content } from '../../../texts/content.ts';
import { useContentActions } from '../changes/use-content-actions.tsx';
import { ChooseFiles } from '../uploads/choose-files.tsx';
import type { ChosenFiles } from '../uploads/chosen-files.ts';
import { courseColumns } from './course-columns.tsx';
import { FolderEmpty, type FolderParts } from './folder-empty.tsx';
import { SubfoldersSwitch } from './subfolders-switch.tsx';
import { useContentList } from './use-content-list.ts';
import { useContentMoves } from './use-content-moves.tsx';

/** The courses of a folder. Several can be selected and moved. */
export function CourseTable({
  folderId,
  folderName,
  counts,
  isHome,
  onFiles,
}: FolderParts & { onFiles: (files: ChosenFiles) => void }) {
  const { table, query, recursive } = useContentList(folderId);
  const courses = useQuery(courseListQuery(query));
  const selection = useSelection(courses.data?.data ?? [], ({ id }) => id);
  const { actions, dialogs } = useContentActions('COURSE', selection);
  const moves = useContentMoves('COURSE', selection, actions);
  return (
    <>
      <DataTable
        label={content.kinds.courses}
        columns={courseColumns(recursive)}
        rowKey={({ id }) => id}
        table={table}
        exporting={{
          name: 'courses',
          list: (client, part) => fetchCurrent(client, courseListQuery({ ...query, ...part })),
          steadySort: 'created',
        }}
        query={courses}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={content.searchIn.courses}
        dragging={moves.dragging}
        filters={
          <TableFilter
            table={table}
            name="learning_standard"
            label={content.columns.standard}
            options={LEARNING_STANDARDS.filter((each) => each !== 'UNKNOWN').map((value) => ({
              value,
              label: content.standards[value],
            }))}
          />
        }
        selecting={moves.selecting}
        toolbar={<SubfoldersSwitch {...{ table, recursive, folderId, folderName }} />}
        empty={
          <FolderEmpty
            kind="courses"
            counts={counts}
            isHome={isHome}
            recursive={recursive}
            table={table}
            action={
              <ChooseFiles multiple onFiles={onFiles}>
                {content.upload}
              </ChooseFiles>
            }
          />
        }
      />
      {moves.dialog}
      {dialogs}
    </>
  );
}
