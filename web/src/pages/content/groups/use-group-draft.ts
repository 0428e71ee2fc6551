import { useRef, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import {
  afterSaving,
  checkDraft,
  errorsFromService,
  type GroupDraft,
  type GroupErrors,
  type GroupKind,
  isSameDraft,
  NO_ERRORS,
} from './group-draft.ts';

/**
 * The draft of an equivalent or a bundle, and its errors: those found before it is sent, or those of the service.
 * @param initial the saved version; if it changes, it replaces the draft
 * @param savedFrom the draft that `initial` was saved from, so that later input stays; null if it was read
 * @param problem the error of the last attempt to save
 */
export function useGroupDraft(
  kind: GroupKind,
  initial: GroupDraft,
  savedFrom: GroupDraft | null,
  problem: unknown,
) {
  const [draft, setDraft] = useState(initial);
  const [found, setFound] = useState<GroupErrors>(NO_ERRORS);
  const [started, setStarted] = useState(initial);
  if (started !== initial) {
    setStarted(initial);
    setDraft(savedFrom === null ? initial : afterSaving(draft, savedFrom, initial));
    setFound(NO_ERRORS);
  }
  const sent = useRef(initial);
  const isAsSent = draft === sent.current;
  const rejected =
    problem instanceof ApiError && isAsSent ? errorsFromService(draft, problem.errors) : NO_ERRORS;
  return {
    draft,
    errors: isEmpty(found) ? rejected : found,
    /** Whether the error of the service concerns members of the draft. */
    isRejected: !isEmpty(rejected),
    changed: !isSameDraft(draft, initial),
    /** Whether nothing was changed since it was sent. */
    isAsSent,
    change: (members: Partial<GroupDraft>) => {
      setDraft((before) => ({ ...before, ...members }));
      setFound(NO_ERRORS);
    },
    discard: () => {
      setDraft(initial);
      setFound(NO_ERRORS);
    },
    /** Returns the errors that are known before it is sent, which are then shown; null if it can be sent. */
    checkToSend: (): GroupErrors | null => {
      const wrong = checkDraft(kind, draft);
      setFound(wrong ?? NO_ERRORS);
      if (wrong === null) sent.current = draft;
      return wrong;
    },
  };
}

function isEmpty({ name, folder, items, ofItem }: GroupErrors): boolean {
  return name === undefined && folder === undefined && items === undefined && ofItem.size === 0;
}
