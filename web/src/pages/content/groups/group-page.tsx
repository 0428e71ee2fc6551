import { Button, Group, Menu } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf } from '../../../components/asset-link.tsx';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { Callout } from '../../../components/callout.tsx';
import { MoreMenu } from '../../../components/more-menu.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { Time } from '../../../components/time.tsx';
import { usePageName } from '../../../navigation/page-name.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { groups } from '../../../texts/content-groups.ts';
import { courses } from '../../../texts/courses.ts';
import { AccountsPanel } from '../accounts/accounts-panel.tsx';
import { DeleteDialog } from '../changes/delete-dialog.tsx';
import { FolderPath } from '../folders/folder-path.tsx';
import { UsagePanel } from '../usage-panel.tsx';
import type { GroupKind } from './group-draft.ts';
import { GroupForm } from './group-form.tsx';
import styles from './groups.module.css';
import { type GroupSource, useGroupEdit } from './use-group-edit.ts';

interface GroupRecord {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  updated_dt: string;
}

const TYPES = { equivalent: 'EQUIVALENT', bundle: 'BUNDLE' } as const;

/** An existing equivalent or bundle: its page is its edit form, for those who may edit. */
export function GroupPage<T extends GroupRecord>({
  kind,
  ...source
}: {
  kind: GroupKind;
} & GroupSource<T>) {
  const leave = useLeave();
  const isAdmin = useIsAdmin();
  const edit = useGroupEdit(source, !isAdmin);
  const [deleting, setDeleting] = useState(false);
  const { record, draft, savedFrom } = edit.base;
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
        actions={isAdmin && <GroupMenu kind={kind} onDelete={() => setDeleting(true)} />}
      />
      <div className={styles.columns}>
        <GroupForm
          kind={kind}
          initial={draft}
          savedFrom={savedFrom}
          location={record.location}
          isNew={false}
          readOnly={!isAdmin}
          saving={edit.isSaving}
          problem={edit.problem}
          notice={(input) =>
            edit.isConflict ? (
              <ConflictNotice
                onDiscard={() => void edit.discard()}
                onOverwrite={() => void edit.overwrite(input)}
              />
            ) : undefined
          }
          onSave={edit.save}
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

function GroupMenu({ kind, onDelete }: { kind: GroupKind; onDelete: () => void }) {
  return (
    <MoreMenu label={groups[kind].menu}>
      <Menu.Item color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={onDelete}>
        {courses.remove.action}
      </Menu.Item>
    </MoreMenu>
  );
}

/** Nothing was saved, because others have changed it since. */
function ConflictNotice({ onDiscard, onOverwrite }: { onDiscard: () => void; onOverwrite: () => void }) {
  return (
    <Callout tone="warn" title={groups.conflict.title} live>
      <div>{groups.conflict.description}</div>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={onDiscard}>
          {groups.conflict.reload}
        </Button>
        <Button size="xs" onClick={onOverwrite}>
          {groups.conflict.overwrite}
        </Button>
      </Group>
    </Callout>
  );
}
