import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { contentKey, HOME_ID } from '../../../api/folders.ts';
import { addressOf } from '../../../components/asset-link.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../../components/use-idempotency-key.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { groups } from '../../../texts/content-groups.ts';
import { FolderPath } from '../folders/folder-path.tsx';
import { emptyDraft, type GroupDraft, type GroupKind } from './group-draft.ts';
import { GroupForm } from './group-form.tsx';

/** Creates an equivalent or a bundle. */
export function NewGroupPage({
  kind,
  folderId = HOME_ID,
  create,
}: {
  kind: GroupKind;
  folderId: number | undefined;
  create: (draft: GroupDraft, idempotencyKey: string) => Promise<{ id: number; name: string }>;
}) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const keyFor = useIdempotencyKey();
  const initial = useRef(emptyDraft(folderId)).current;
  const save = useFormMutation({
    mutationFn: (draft: GroupDraft) => create(draft, keyFor(draft)),
    onSuccess: async ({ id, name }) => {
      notifyDone(groups[kind].created(name));
      const address = addressOf(kind === 'equivalent' ? 'EQUIVALENT' : 'BUNDLE', id);
      await leave({ ...address, replace: true, ignoreBlocker: true } as never);
      await queryClient.invalidateQueries({ queryKey: contentKey });
    },
  });
  return (
    <>
      <FolderPath folderId={folderId} location="" />
      <PageHeader title={groups[kind].new} description={groups[kind].about} />
      <GroupForm
        kind={kind}
        initial={initial}
        location=""
        isNew
        readOnly={false}
        saving={save.isPending || save.isSuccess}
        problem={save.error}
        onSave={(draft) => save.mutate(draft)}
      />
    </>
  );
}
