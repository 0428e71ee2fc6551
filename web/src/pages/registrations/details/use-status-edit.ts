import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOutdated } from '../../../api/errors.ts';
import {
  type Registration,
  type RegistrationWithUnits,
  registrationQuery,
  registrationsKey,
  updateRegistrationStatus,
} from '../../../api/registrations.ts';
import { type Read, readRecord } from '../../../api/request.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { registrations } from '../../../texts/registrations.ts';
import { afterSaving, draftOf, isSameStatus, type StatusDraft, statusOf } from './status-draft.ts';

/** The input, and the registration when editing started. */
interface Edit {
  draft: StatusDraft;
  basis: Read<Registration>;
}

/** Undone input is not an edit: the form shows reported results again. */
function editFrom(basis: Read<Registration>, draft: StatusDraft): Edit | null {
  return isSameStatus(draft, draftOf(basis.record)) ? null : { draft, basis };
}

/**
 * An administrator's edit of a learner's results. Without one, the draft has the latest reported results. From the
 * first change on, it is the input, and saving it asks first if the results have changed since.
 */
export function useStatusEdit(read: Read<Registration>) {
  const queryClient = useQueryClient();
  const id = read.record.registration_id;
  const [edit, setEdit] = useState<Edit | null>(null);
  const [conflict, setConflict] = useState<Read<RegistrationWithUnits> | null>(null);
  const draft = edit?.draft ?? draftOf(read.record);
  const saving = useFormMutation({
    mutationFn: async ({ draft: entered, basis }: Edit) => {
      for (let known = basis; ; ) {
        try {
          return await updateRegistrationStatus(id, statusOf(entered), known.etag);
        } catch (error) {
          if (!isOutdated(error)) throw error;
          const latest = await readRecord<RegistrationWithUnits>(`/registrations/${id}`);
          // Only the attempt or its units have changed, for example because the learner has opened the course.
          const isSame = isSameStatus(draftOf(latest.record), draftOf(basis.record));
          if (!isSame) setConflict(latest);
          if (!isSame || latest.etag === known.etag) throw error;
          known = latest;
        }
      }
    },
    onSuccess: (saved, sent) => {
      notifyDone(registrations.status.saved);
      queryClient.setQueryData<Read<RegistrationWithUnits>>(
        registrationQuery(id).queryKey,
        (before) => before && { record: { ...before.record, ...saved.record }, etag: saved.etag },
      );
      setEdit((now) => now && editFrom(saved, afterSaving(now.draft, sent.draft, draftOf(saved.record))));
      // Not awaited: the saved values are known, even if nothing can be read now.
      void queryClient.invalidateQueries({ queryKey: registrationsKey });
    },
  });
  const discard = () => {
    setEdit(null);
    setConflict(null);
    saving.reset();
  };
  return {
    draft,
    isChanged: edit !== null,
    isSaving: saving.isPending,
    /** Whether leaving the page loses input: all of an edit, except while exactly that is saved. */
    isUnsaved: edit !== null && !(saving.isPending && saving.variables === edit),
    /** Why saving failed; null if the conflict says so. */
    problem: conflict === null ? saving.error : null,
    /** The results that others have saved since editing started. */
    conflict,
    change: (members: Partial<StatusDraft>) => {
      const basis = edit?.basis ?? read;
      const entered = { ...draft, ...members };
      // While the former input is saved, input that undoes it is a change.
      setEdit(saving.isPending ? { draft: entered, basis } : editFrom(basis, entered));
    },
    save: () => {
      if (edit !== null) saving.mutate(edit);
    },
    discard,
    /** Saving replaces the results of others. */
    keepInput: () => {
      if (conflict === null) return;
      setEdit({ draft, basis: conflict });
      setConflict(null);
      saving.reset();
    },
    /** The results of others replace the input. */
    takeResults: () => {
      if (conflict === null) return;
      queryClient.setQueryData(registrationQuery(id).queryKey, conflict);
      discard();
    },
  };
}
