import { useQueryClient } from '@tanstack/react-query';
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
  opened,
  onClose,
}: {
  course: CourseWithVersions;
  etag: string | null;
  /** The version to publish, even while the dialog fades out. */
  version: CourseVersion;
  opened: boolean;
  /** Called with the version that it is about: a response may arrive when the dialog is about another one. */
  onClose: (version: CourseVersion) => void;
}) {
  const queryClient = useQueryClient();
  const publish = useFormMutation(
    {
      mutationFn: ({ version_id }: CourseVersion) =>
        publishVersion(course.id, version_id, { idempotencyKey: newIdempotencyKey(), ifMatch: etag }),
      onSuccess: async (_course, published) => {
        notifyDone(words.done(published.version_id));
        onClose(published);
        await queryClient.invalidateQueries({ queryKey: contentKey });
      },
      onError: () => queryClient.invalidateQueries({ queryKey: contentKey }),
    },
    opened,
  );
  const current = course.versions.find(({ published }) => published);
  const currentId = course.published_version_id;
  return (
    <ConfirmDialog
      opened={opened}
      title={words.title(version.version_id)}
      confirmLabel={words.submit(version.version_id)}
      harmless
      pending={publish.isPending}
      error={publish.error}
      onConfirm={() => publish.mutate(version)}
      onClose={() => {
        publish.reset();
        onClose(version);
      }}
    >
      <div className={styles.consequences}>
        {version.version_id < currentId && <Callout tone="warn">{words.older}</Callout>}
        <p>{words.description(currentId, version.version_id)}</p>
        {current !== undefined && current.learning_standard !== version.learning_standard && (
          <p>
            {words.standardChanges(
              content.standards[current.learning_standard],
              content.standards[version.learning_standard],
            )}
          </p>
        )}
        <p>{words.webhooks}</p>
        {version.warnings.length > 0 && (
          <Callout tone="warn" title={words.warnings}>
            <ul className={styles.list}>
              {version.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Callout>
        )}
      </div>
    </ConfirmDialog>
  );
}
