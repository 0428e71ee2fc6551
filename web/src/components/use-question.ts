import { useState } from 'react';

/** A question before an action on a record. */
export interface Question<Action, Of> {
  action: Action;
  of: Of;
}

/**
 * The question of a page before an action on one of its records. It belongs to the page, and is about one at a time.
 * @param idOf what identifies a record
 */
export function useQuestion<Action, Of>(
  idOf: (of: Of) => unknown,
): {
  /** The latest one, even while its dialog fades out; null before the first. */
  asked: Question<Action, Of> | null;
  isOpen: (action: Action) => boolean;
  ask: (action: Action, of: Of) => void;
  /** Closes a question. If another one has been asked since, that stays: a response may arrive late. */
  close: (action: Action, of: Of) => void;
} {
  const [asked, setAsked] = useState<(Question<Action, Of> & { isOpen: boolean }) | null>(null);
  return {
    asked,
    isOpen: (action) => asked?.isOpen === true && asked.action === action,
    ask: (action, of) => setAsked({ action, of, isOpen: true }),
    close: (action, of) =>
      setAsked((now) =>
        now !== null && now.action === action && idOf(now.of) === idOf(of) ? { ...now, isOpen: false } : now,
      ),
  };
}
