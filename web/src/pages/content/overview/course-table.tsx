import { LEARNING_STANDARDS } from '../../../../../src/course-packages/learning-standard.ts';
import { type CourseOverview, courseListQuery } from '../../../api/courses.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Column } from '../../../components/table-columns.ts';
import { TableFilter } from '../../../components/table-filter.tsx';
import { content } from '../../../texts/content.ts';
import { ChooseFiles } from '../uploads/choose-files.tsx';
import type { ChosenFiles } from '../uploads/chosen-files.ts';
import { WarningCount } from './content-cells.tsx';
import { ContentTable } from './content-table.tsx';
import type { FolderParts } from './folder-empty.tsx';
import styles from './overview.module.css';

const COLUMNS: readonly Column<CourseOverview>[] = [
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
    isSpare: true,
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
];

const STANDARD_OPTIONS = LEARNING_STANDARDS.filter((each) => each !== 'UNKNOWN').map((value) => ({
  value,
  label: content.standards[value],
}));

/** The courses of a folder. */
export function CourseTable({ onFiles, ...folder }: FolderParts & { onFiles: (files: ChosenFiles) => void }) {
  return (
    <ContentTable
      {...folder}
      kind="courses"
      list={courseListQuery}
      columns={COLUMNS}
      filters={(table) => (
        <TableFilter
          table={table}
          name="learning_standard"
          label={content.columns.standard}
          options={STANDARD_OPTIONS}
        />
      )}
      action={
        <ChooseFiles multiple onFiles={onFiles}>
          {content.upload}
        </ChooseFiles>
      }
    />
  );
}
