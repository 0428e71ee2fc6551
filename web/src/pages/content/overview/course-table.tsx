import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LEARNING_STANDARDS } from '../../../../../src/course-packages/learning-standard.ts';
import { type CourseOverview, courseListQuery } from '../../../api/courses.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { RowLink } from '../../../components/row-link.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Column, RowDragging } from '../../../components/table-columns.ts';
import { TableFilter } from '../../../components/table-filter.tsx';
import { useIsAdmin } from '../../../session/session-context.ts';
import { content } from '../../../texts/content.ts';
import { MoveDialog } from '../changes/move-dialog.tsx';
import { useContentActions } from '../changes/use-content-actions.tsx';
import { type Dragged, NOTHING_DRAGGED, useContent } from '../content-context.ts';
import { ChooseFiles } from '../uploads/choose-files.tsx';
import type { ChosenFiles } from '../uploads/chosen-files.ts';
import { BelowSwitch } from './below-switch.tsx';
import { changedColumn, Location, WarningCount } from './content-cells.tsx';
import { FolderEmpty, type FolderParts } from './folder-empty.tsx';
import styles from './overview.module.css';
import { useContentList } from './use-content-list.ts';

/** The courses of a folder. Several can be selected and moved. */
export function CourseTable({
  folderId,
  folderName,
  counts,
  isHome,
  onFiles,
}: FolderParts & { onFiles: (files: ChosenFiles) => void }) {
  const isAdmin = useIsAdmin();
  const { table, query, recursive } = useContentList(folderId);
  const courses = useQuery(courseListQuery(query));
  const selection = useSelection(courses.data?.data ?? [], ({ id }) => id);
  const { actions, dialogs } = useContentActions('COURSE', selection);
  const [moving, setMoving] = useState(false);
  const { dragged } = useContent();

  /** Notes where selected courses are now, because they may have left the list. */
  const keepPlaces = (rows: readonly CourseOverview[]) => (assets: readonly Dragged[], folder: number) => {
    const moved = new Set(assets.map(({ id }) => id));
    selection.update(rows.filter(({ id }) => moved.has(id)).map((row) => ({ ...row, folder_id: folder })));
  };
  const dragging: RowDragging<CourseOverview> = {
    onDragStart: (course, event) => {
      const rows = selection.chosen.has(course.id) ? selection.items : [course];
      dragged.current = {
        assets: rows.map(draggedOf),
        onMoved: keepPlaces(rows),
      };
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', content.dragging(rows.length));
    },
    onDragEnd: () => {
      dragged.current = NOTHING_DRAGGED;
    },
  };

  const columns: Column<CourseOverview>[] = [
    {
      id: 'name',
      label: content.columns.name,
      sort: 'name',
      card: 'title',
      cell: (course) => (
        <>
          <RowLink to="/content/courses/$courseId" params={{ courseId: String(course.id) }}>
            <bdi className={styles.name}>{course.name}</bdi>
          </RowLink>
          {recursive && <Location text={course.location} />}
        </>
      ),
    },
    {
      id: 'standard',
      label: content.columns.standard,
      width: '9.25rem',
      cell: ({ learning_standard, warning_count }) => (
        <span className={styles.two}>
          {learning_standard !== null && content.standards[learning_standard]}
          <WarningCount count={warning_count} />
        </span>
      ),
    },
    {
      id: 'version',
      label: content.columns.version,
      width: '9rem',
      cell: ({ version_id, published_version_id }) =>
        version_id === published_version_id ? (
          version_id
        ) : (
          <span className={styles.two}>
            <span>{published_version_id}</span>
            <StatusBadge tone="info">
              {version_id > published_version_id
                ? content.newerVersion(version_id)
                : content.version(version_id)}
            </StatusBadge>
          </span>
        ),
    },
    changedColumn,
  ];

  return (
    <>
      <DataTable
        label={content.kinds.courses}
        columns={columns}
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
        dragging={isAdmin ? dragging : undefined}
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
        selecting={
          isAdmin
            ? {
                selection,
                nameOf: ({ name }) => name,
                actions: (
                  <>
                    <Button size="xs" onClick={() => setMoving(true)}>
                      {content.moveSelected}
                    </Button>
                    {actions}
                  </>
                ),
              }
            : undefined
        }
        toolbar={<BelowSwitch {...{ table, recursive, folderId, folderName }} />}
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
      <MoveDialog
        opened={moving}
        assets={selection.items.map(draggedOf)}
        onMoved={selection.clear}
        onPartly={keepPlaces(selection.items)}
        onClose={() => setMoving(false)}
      />
      {dialogs}
    </>
  );
}

function draggedOf({ id, name, folder_id }: CourseOverview): Dragged {
  return { type: 'COURSE', id, name, folderId: folder_id };
}
