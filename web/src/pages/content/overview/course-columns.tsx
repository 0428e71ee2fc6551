import type { CourseOverview } from '../../../api/courses.ts';
import { RowLink } from '../../../components/row-link.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Column } from '../../../components/table-columns.ts';
import { content } from '../../../texts/content.ts';
import { changedColumn, Location, WarningCount } from './content-cells.tsx';
import styles from './overview.module.css';

/**
 * The columns of a list of courses.
 * @param withLocations whether the courses are in several folders
 */
export function courseColumns(withLocations: boolean): Column<CourseOverview>[] {
  return [
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
          {withLocations && <Location text={course.location} />}
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
    changedColumn,
  ];
}
