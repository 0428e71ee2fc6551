import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type CourseVersion, type CourseWithVersions, publishVersion } from '../../../api/courses.ts';
import { contentKey } from '../../../api/folders.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { Callout } from '../../../components/callout.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { content } from '../../../texts/content.ts';
import { courses } from '../../../texts/courses.ts';
import styles from './course.module.css';

const words = courses.publish;

/** Says what changes for whom before a version is published. */
export function PublishDialog({
  course,
  etag,
  version,
  onClose,
}: {
  course: CourseWithVersions;
  etag: string | null;
  /** The version to publish; null if none. */
  version: CourseVersion | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  // Kept while the dialog fades out.
  const last = useRef(version);
  if (version !== null) last.current = version;
  const publish = useFormMutation(
    {
      mutationFn: (versionId: number) =>
        publishVersion(course.id, versionId, { idempotencyKey: newIdempotencyKey(), ifMatch: etag }),
      onSuccess: async (_course, versionId) => {
        notifyDone(words.done(versionId));
        close();
        await queryClient.invalidateQueries({ queryKey: contentKey });
      },
      onError: () => queryClient.invalidateQueries({ queryKey: contentKey }),
    },
    version !== null,
  );
  const close = () => {
    publish.reset();
    onClose();
  };
  const shown = last.current;
  if (shown === null) return null;
  const current = course.versions.find(({ published }) => published);
  const currentId = course.published_version_id;
  return (
    <ConfirmDialog
      opened={version !== null}
      title={words.title(shown.version_id)}
      confirmLabel={words.submit(shown.version_id)}
      harmless
      pending={publish.isPending}
      error={publish.error}
      onConfirm={() => publish.mutate(shown.version_id)}
      onClose={close}
    >
      <div className={styles.consequences}>
        {shown.version_id < currentId && <Callout tone="warn">{words.older}</Callout>}
        <p>{words.description(currentId, shown.version_id)}</p>
        {current !== undefined && current.learning_standard !== shown.learning_standard && (
          <p>
            {words.standardChanges(
              content.standards[current.learning_standard],
              content.standards[shown.learning_standard],
            )}
          </p>
        )}
        <p>{words.webhooks}</p>
        {shown.warnings.length > 0 && (
          <Callout tone="warn" title={words.warnings}>
            <ul className={styles.list}>
              {shown.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Callout>
        )}
      </div>
    </ConfirmDialog>
  );
}
