import { useEffect, useState } from 'react';
import type { Draft } from './draft.ts';
import { forgetDraft, keepDraft, loadDraft } from './draft-storage.ts';

/** A draft that is kept in this tab when the page is left or reloaded. */
export interface DraftState {
  draft: Draft;
  /** The `ETag` of what it changes. */
  etag: string | null;
  /** Whether it was found when the page opened. */
  restored: boolean;
  changed: boolean;
  /** Whether it was saved: nothing is kept any more. */
  finished: boolean;
  change: (change: Partial<Draft>) => void;
  /** Goes on from the state of another moment. */
  rebase: (etag: string | null) => void;
  /** Throws it away; what it started from is back, or what is given. */
  restart: (initial?: Draft, etag?: string | null) => void;
  /** Throws away what is kept, for good. */
  forget: () => void;
}

/** The draft of a webhook, or of a new one (null). */
export function useDraft(webhookId: number | null, initial: Draft, initialEtag: string | null): DraftState {
  const [kept] = useState(() => loadDraft(webhookId));
  const [start, setStart] = useState(initial);
  const [draft, setDraft] = useState(kept?.draft ?? initial);
  const [etag, setEtag] = useState(kept === null ? initialEtag : kept.etag);
  const [restored, setRestored] = useState(kept !== null);
  const [finished, setFinished] = useState(false);
  const changed = JSON.stringify(draft) !== JSON.stringify(start);

  useEffect(() => {
    if (changed && !finished) keepDraft(webhookId, { draft, etag });
    else forgetDraft(webhookId);
  }, [webhookId, draft, etag, changed, finished]);

  return {
    draft,
    etag,
    restored,
    changed,
    finished,
    change: (change) => setDraft((present) => ({ ...present, ...change })),
    rebase: setEtag,
    restart: (anew = start, newEtag = initialEtag) => {
      setStart(anew);
      setDraft(anew);
      setEtag(newEtag);
      setRestored(false);
    },
    forget: () => {
      setFinished(true);
      forgetDraft(webhookId);
    },
  };
}
