import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { IconDots, IconTrash } from '@tabler/icons-react';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOutdated } from '../../../api/errors.ts';
import { contentKey } from '../../../api/folders.ts';
import type { Read } from '../../../api/request.ts';
import { addressOf } from '../../../components/asset-link.tsx';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { Callout } from '../../../components/callout.tsx';
import { notifyDone, notifyError } from '../../../components/notify.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { Time } from '../../../components/time.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { usePageName } from '../../../navigation/page-name.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { groups } from '../../../texts/content-groups.ts';
import { courses } from '../../../texts/courses.ts';
import { AccountsPanel } from '../accounts/accounts-panel.tsx';
import { DeleteDialog } from '../changes/delete-dialog.tsx';
import { FolderPath } from '../folders/folder-path.tsx';
import { UsagePanel } from '../usage-panel.tsx';
import { type GroupDraft, type GroupKind, withKeysOf } from './group-draft.ts';
import { GroupForm } from './group-form.tsx';
import styles from './groups.module.css';

interface GroupRecord {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  updated_dt: string;
}

const TYPES = { equivalent: 'EQUIVALENT', bundle: 'BUNDLE' } as const;

/** What the form starts from. */
interface Base<T> extends Read<T> {
  draft: GroupDraft;
  /** The draft that was sent to save it; null if it was read. */
  savedFrom: GroupDraft | null;
}

/** An existing equivalent or bundle: its page is its edit form, for those who may edit. */
export function GroupPage<T extends GroupRecord>({
  kind,
  read,
  queryKey,
  toDraft,
  update,
}: {
  kind: GroupKind;
  read: Read<T>;
  /** The key of the query that read it. */
  queryKey: QueryKey;
  toDraft: (record: T) => GroupDraft;
  update: (draft: GroupDraft, etag: string | null) => Promise<Read<T>>;
}) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const isAdmin = useIsAdmin();
  // The form keeps the record it started with. Saving detects changes of others.
  const [base, setBase] = useState<Base<T>>(() => ({
    ...read,
    draft: toDraft(read.record),
    savedFrom: null,
  }));
  const [deleting, setDeleting] = useState(false);
  const { record } = base;
  const save = useFormMutation({
    mutationFn: ({ draft, etag }: { draft: GroupDraft; etag: string | null }) => update(draft, etag),
    onSuccess: (saved, { draft }) => {
      notifyDone(groups.saved);
      setBase({ ...saved, draft: withKeysOf(draft, toDraft(saved.record)), savedFrom: draft });
      // Not awaited: what was saved is known, even if nothing can be read now.
      void queryClient.invalidateQueries({ queryKey: contentKey });
    },
  });
  const readAgain = async (): Promise<Read<T> | undefined> => {
    try {
      await queryClient.refetchQueries({ queryKey, exact: true }, { throwOnError: true });
      return queryClient.getQueryData<Read<T>>(queryKey);
    } catch (error) {
      notifyError(error);
      return undefined;
    }
  };
  const restart = async () => {
    const latest = await readAgain();
    if (latest === undefined) return;
    setBase({ ...latest, draft: toDraft(latest.record), savedFrom: null });
    save.reset();
  };
  const overwrite = async (draft: GroupDraft) => {
    const latest = await readAgain();
    if (latest !== undefined) save.mutate({ draft, etag: latest.etag });
  };
  usePageName(record.name);
  const asset = { type: TYPES[kind], id: record.id, name: record.name };
  return (
    <>
      <FolderPath folderId={record.folder_id} location={record.location} />
      <PageHeader
        title={<bdi>{record.name}</bdi>}
        description={
          <>
            {groups[kind].one} {record.id} · {courses.changed} <Time value={record.updated_dt} />
          </>
        }
        actions={
          isAdmin && (
            <Menu>
              <Menu.Target>
                <ActionIcon variant="default" size={36} aria-label={groups[kind].menu}>
                  <IconDots size={16} stroke={1.6} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item
                  color="red"
                  leftSection={<IconTrash size={16} stroke={1.6} />}
                  onClick={() => setDeleting(true)}
                >
                  {courses.remove.action}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )
        }
      />
      <div className={styles.columns}>
        <GroupForm
          kind={kind}
          initial={base.draft}
          savedFrom={base.savedFrom}
          location={record.location}
          isNew={false}
          readOnly={!isAdmin}
          saving={save.isPending}
          problem={isOutdated(save.error) ? null : save.error}
          notice={(draft) =>
            isOutdated(save.error) ? (
              <Callout tone="warn" title={groups.conflict.title} live>
                <div>{groups.conflict.description}</div>
                <Group gap="xs" mt="xs">
                  <Button size="xs" variant="default" onClick={() => void restart()}>
                    {groups.conflict.reload}
                  </Button>
                  <Button size="xs" onClick={() => void overwrite(draft)}>
                    {groups.conflict.overwrite}
                  </Button>
                </Group>
              </Callout>
            ) : undefined
          }
          onSave={(draft) => save.mutate({ draft, etag: base.etag })}
        />
        <UsagePanel type={asset.type} id={record.id} />
      </div>
      <div className={styles.accounts}>
        <AccountsPanel asset={asset} />
      </div>
      <div className={styles.changes}>
        <ChangesPanel type={asset.type} id={record.id} />
      </div>
      <DeleteDialog
        opened={deleting}
        asset={asset}
        onDeleted={() =>
          void leave({ ...addressOf('FOLDER', record.folder_id), ignoreBlocker: true } as never)
        }
        onClose={() => setDeleting(false)}
      />
    </>
  );
}
