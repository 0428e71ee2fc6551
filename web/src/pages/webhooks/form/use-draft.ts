import { useEffect, useState } from 'react';
import type { Draft } from './draft.ts';
import { forgetDraft, keepDraft, loadDraft } from './draft-storage.ts';

/** A draft that is kept in this tab when the page is left or reloaded. */
export interface DraftState {
  draft: Draft;
  /** The `ETag` of the webhook that it changes. */
  etag: string | null;
  /** Whether it was found when the page opened. */
  restored: boolean;
  changed: boolean;
  /** Marks it as saved: it is no longer stored. */
  finished: boolean;
  change: (change: Partial<Draft>) => void;
  /** Continues from another state. */
  rebase: (etag: string | null) => void;
  /** Discards it, and restores the state that it started from, or the given one. */
  restart: (initial?: Draft, etag?: string | null) => void;
  /** Deletes the stored draft. */
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
