import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { CourseVersion, CourseWithVersions } from '../../../api/courses.ts';
import { DataRows } from '../../../components/data-rows.tsx';
import { keepsFocus } from '../../../components/focus-heading.ts';
import { Panel } from '../../../components/panel.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Column } from '../../../components/table-columns.ts';
import { Time } from '../../../components/time.tsx';
import { useQuestion } from '../../../components/use-question.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { content } from '../../../texts/content.ts';
import { courses } from '../../../texts/courses.ts';
import { formatBytes, formatNumber } from '../../../utilities/numbers.ts';
import styles from './course.module.css';
import { PreviewButton } from './preview-button.tsx';
import { PublishDialog } from './publish-dialog.tsx';

const words = courses.versions;
/** Shown before all are requested. */
const FIRST_SHOWN = 20;
/** Maximum number of versions in a response of the API. */
const MAX_LISTED = 1_000;

/** The versions of a course, newest first. */
export function VersionsPanel({ course, etag }: { course: CourseWithVersions; etag: string | null }) {
  const isAdmin = useIsAdmin();
  const [all, setAll] = useState(false);
  const publishing = useQuestion<'publish', CourseVersion>(({ version_id }) => version_id);
  const newestFirst = course.versions.toReversed();
  const shown = all ? newestFirst : newestFirst.slice(0, FIRST_SHOWN);
  const columns: Column<CourseVersion>[] = [
    {
      id: 'version',
      label: words.version,
      card: 'title',
      width: '6.5rem',
      cell: ({ version_id }) => <strong>{content.version(version_id)}</strong>,
    },
    {
      id: 'title',
      label: words.packageTitle,
      cell: (version) => (
        <div className={styles.packageTitle}>
          <bdi className={styles.clamp}>{version.title}</bdi>
          <Warnings version={version} />
        </div>
      ),
    },
    {
      id: 'standard',
      label: words.standard,
      width: '10rem',
      cell: ({ learning_standard, byte_count, file_count }) => (
        <span className={styles.two}>
          <span>{content.standards[learning_standard]}</span>
          <span className={styles.second}>
            {formatBytes(byte_count)} · {words.files(file_count)}
          </span>
        </span>
      ),
    },
    {
      id: 'uploaded',
      label: words.uploaded,
      width: '8rem',
      cell: ({ created_dt }) => <Time value={created_dt} />,
    },
    {
      id: 'state',
      label: words.state,
      width: '12rem',
      align: 'end',
      card: 'actions',
      cell: (version) => {
        const preview = isAdmin && <PreviewButton courseId={course.id} versionId={version.version_id} />;
        if (version.published) {
          return (
            <span className={styles.buttons}>
              <StatusBadge tone="good">{words.published}</StatusBadge>
              {preview}
            </span>
          );
        }
        const newer = version.version_id > course.published_version_id;
        if (!isAdmin)
          return (
            <StatusBadge tone={newer ? 'info' : 'quiet'}>{newer ? words.newest : words.earlier}</StatusBadge>
          );
        return (
          <span className={styles.buttons}>
            {preview}
            <Button
              ref={keepsFocus}
              size="xs"
              variant={newer && version.version_id === course.version_id ? 'filled' : 'default'}
              aria-label={words.publishOf(version.version_id)}
              onClick={() => publishing.ask('publish', version)}
            >
              {words.publish}
            </Button>
          </span>
        );
      },
    },
  ];
  return (
    <Panel title={words.title} description={words.description} flush>
      <DataRows label={words.label} columns={columns} rows={shown} rowKey={({ version_id }) => version_id} />
      {shown.length < newestFirst.length && (
        <div className={styles.more}>
          <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
            {words.showAll(formatNumber(newestFirst.length))}
          </Button>
        </div>
      )}
      {all && newestFirst.length >= MAX_LISTED && <div className={styles.more}>{words.bounded}</div>}
      {publishing.asked !== null && (
        <PublishDialog
          course={course}
          etag={etag}
          version={publishing.asked.of}
          opened={publishing.isOpen('publish')}
          onClose={(version) => publishing.close('publish', version)}
        />
      )}
    </Panel>
  );
}

function Warnings({ version: { version_id, warnings } }: { version: CourseVersion }) {
  if (warnings.length === 0) return null;
  return (
    <details className={styles.warnings}>
      <summary aria-label={words.warningsOf(warnings.length, version_id)}>
        <IconAlertTriangle size={14} stroke={1.8} aria-hidden /> {content.warnings(warnings.length)}
      </summary>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </details>
  );
}
