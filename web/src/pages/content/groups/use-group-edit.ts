import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOutdated } from '../../../api/errors.ts';
import { contentKey } from '../../../api/folders.ts';
import type { Read } from '../../../api/request.ts';
import { notifyDone, notifyError } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { groups } from '../../../texts/content-groups.ts';
import { type GroupDraft, withKeysOf } from './group-draft.ts';

/** How the page of an equivalent or a bundle reads and saves it. */
export interface GroupSource<T> {
  read: Read<T>;
  /** The key of the query that read it. */
  queryKey: QueryKey;
  toDraft: (record: T) => GroupDraft;
  update: (draft: GroupDraft, etag: string | null) => Promise<Read<T>>;
}

/** The record that the form starts with. */
interface Base<T> extends Read<T> {
  draft: GroupDraft;
  /** The draft that was sent to save it; null if it was read. */
  savedFrom: GroupDraft | null;
}

/**
 * The editing of an equivalent or a bundle. The form keeps the record it started with. Saving detects changes of others:
 * then the administrator discards the input or overwrites these changes.
 * @param readOnly whether nothing can be edited: the form then shows what others have changed
 */
export function useGroupEdit<T>({ read, queryKey, toDraft, update }: GroupSource<T>, readOnly: boolean) {
  const queryClient = useQueryClient();
  const baseOf = (latest: Read<T>): Base<T> => ({
    ...latest,
    draft: toDraft(latest.record),
    savedFrom: null,
  });
  const [base, setBase] = useState(() => baseOf(read));
  if (readOnly && base.record !== read.record) setBase(baseOf(read));
  const saving = useFormMutation({
    mutationFn: ({ draft, etag }: { draft: GroupDraft; etag: string | null }) => update(draft, etag),
    onSuccess: (saved, { draft }) => {
      notifyDone(groups.saved);
      setBase({ ...saved, draft: withKeysOf(draft, toDraft(saved.record)), savedFrom: draft });
      // Not awaited: the saved values are known, even if nothing can be read now.
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
  const isConflict = isOutdated(saving.error);
  return {
    base,
    isSaving: saving.isPending,
    /** Whether others have changed it since, so that nothing was saved. */
    isConflict,
    /** Why else saving failed. */
    problem: isConflict ? null : saving.error,
    save: (draft: GroupDraft) => saving.mutate({ draft, etag: base.etag }),
    discard: async () => {
      const latest = await readAgain();
      if (latest === undefined) return;
      setBase(baseOf(latest));
      saving.reset();
    },
    overwrite: async (draft: GroupDraft) => {
      const latest = await readAgain();
      if (latest !== undefined) saving.mutate({ draft, etag: latest.etag });
    },
  };
}
