import { type Draft, readDraft } from './draft.ts';

/** An unsaved draft, and the `ETag` of the webhook that it changes. */
export interface KeptDraft {
  draft: Draft;
  etag: string | null;
}

const PREFIX = 'coursewire-webhook-draft';

function keyOf(webhookId: number | null): string {
  return `${PREFIX}:${webhookId ?? 'new'}`;
}

/** The draft of a webhook, or of a new one (null), that this tab stores. */
export function loadDraft(webhookId: number | null): KeptDraft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(webhookId)) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('draft' in kept)) return null;
    const draft = readDraft(kept.draft);
    if (draft === null) return null;
    return { draft, etag: 'etag' in kept && typeof kept.etag === 'string' ? kept.etag : null };
  } catch {
    return null;
  }
}

/** Stores it until the tab is closed. If a browser refuses, nothing is stored. */
export function keepDraft(webhookId: number | null, { draft, etag }: KeptDraft): void {
  try {
    sessionStorage.setItem(keyOf(webhookId), JSON.stringify({ draft, etag }));
  } catch {}
}

export function forgetDraft(webhookId: number | null): void {
  try {
    sessionStorage.removeItem(keyOf(webhookId));
  } catch {}
}
