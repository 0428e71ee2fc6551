import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { contentKey, HOME_ID } from '../../../api/folders.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { addressOf } from '../../../components/asset-link.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
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
  // The key belongs to the draft that was sent with it: another draft is another creation.
  const attempt = useRef({ content: '', key: '' });
  const initial = useRef(emptyDraft(folderId)).current;
  const save = useFormMutation({
    mutationFn: (draft: GroupDraft) => {
      const text = JSON.stringify(draft);
      if (attempt.current.content !== text) attempt.current = { content: text, key: newIdempotencyKey() };
      return create(draft, attempt.current.key);
    },
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
