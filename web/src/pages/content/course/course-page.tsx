import { IconBookOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type CourseWithVersions, courseQuery } from '../../../api/courses.ts';
import { isNoSuchRecord } from '../../../api/errors.ts';
import { addressOf } from '../../../components/asset-link.tsx';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { EventsPanel } from '../../../components/events/events-panel.tsx';
import { MoreMenu } from '../../../components/more-menu.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { usePageName } from '../../../navigation/page-name.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { content } from '../../../texts/content.ts';
import { courses } from '../../../texts/courses.ts';
import { AccountsPanel } from '../accounts/accounts-panel.tsx';
import { type Change, ChangeItems } from '../changes/change-items.tsx';
import { DeleteDialog } from '../changes/delete-dialog.tsx';
import { MoveDialog } from '../changes/move-dialog.tsx';
import { RenameDialog } from '../changes/name-dialog.tsx';
import { FolderPath } from '../folders/folder-path.tsx';
import { MissingAsset } from '../missing-asset.tsx';
import { ChooseFiles } from '../uploads/choose-files.tsx';
import { DropZone } from '../uploads/drop-zone.tsx';
import { UsagePanel } from '../usage-panel.tsx';
import { useUpload } from '../use-upload.ts';
import styles from './course.module.css';
import { VersionsPanel } from './versions-panel.tsx';

const route = getRouteApi('/app/content-layout/content/courses/$courseId');

/** A course: its versions, which of them is published, and what uses it. */
export function CoursePage() {
  const { courseId } = route.useParams();
  const read = useQuery(courseQuery(Number(courseId)));
  const { data } = read;
  if (useIsMissing(courseId, read, isNoSuchRecord)) return <MissingAsset icon={IconBookOff} />;
  if (data === undefined) return <Unread query={read} />;
  return <Course key={data.record.id} course={data.record} etag={data.etag} />;
}

function Course({ course, etag }: { course: CourseWithVersions; etag: string | null }) {
  const isAdmin = useIsAdmin();
  const upload = useUpload();
  const target = { kind: 'version', courseId: course.id, courseName: course.name } as const;
  const waits = course.version_id > course.published_version_id;
  usePageName(course.name);
  return (
    <DropZone hint={courses.dropVersion} disabled={!isAdmin} onFiles={(files) => upload(files, target)}>
      <FolderPath folderId={course.folder_id} location={course.location} />
      <PageHeader
        title={<bdi>{course.name}</bdi>}
        badges={waits && <StatusBadge tone="info">{content.newerVersion(course.version_id)}</StatusBadge>}
        description={
          <>
            {courses.facts(course.id)} · {courses.changed} <Time value={course.updated_dt} />
          </>
        }
        actions={
          isAdmin && (
            <>
              <CourseActions course={course} />
              <ChooseFiles onFiles={(files) => upload(files, target)}>{courses.uploadVersion}</ChooseFiles>
            </>
          )
        }
      />
      <div className={styles.columns}>
        <div className={styles.main}>
          <VersionsPanel course={course} etag={etag} />
          <AccountsPanel asset={{ type: 'COURSE', id: course.id, name: course.name }} />
        </div>
        <UsagePanel type="COURSE" id={course.id} />
      </div>
      <div className={styles.events}>
        <EventsPanel about={{ course_id: course.id }} />
      </div>
      <div className={styles.events}>
        <ChangesPanel type="COURSE" id={course.id} />
      </div>
    </DropZone>
  );
}

function CourseActions({ course: { id, name, folder_id: folderId } }: { course: CourseWithVersions }) {
  const [dialog, setDialog] = useState<Change | null>(null);
  const leave = useLeave();
  const close = () => setDialog(null);
  const asset = { type: 'COURSE', id, name } as const;
  return (
    <>
      <MoreMenu label={courses.menu}>
        <ChangeItems deleteLabel={courses.remove.action} onChoose={setDialog} />
      </MoreMenu>
      <RenameDialog opened={dialog === 'rename'} asset={asset} onClose={close} />
      <MoveDialog opened={dialog === 'move'} assets={[{ ...asset, folderId }]} onClose={close} />
      <DeleteDialog
        opened={dialog === 'delete'}
        asset={asset}
        onDeleted={() => void leave(addressOf('FOLDER', folderId))}
        onClose={close}
      />
    </>
  );
}
