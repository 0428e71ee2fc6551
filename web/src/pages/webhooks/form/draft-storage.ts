import { type Draft, readDraft } from './draft.ts';

/** A draft that was not saved, and the `ETag` of what it changes. */
export interface KeptDraft {
  draft: Draft;
  etag: string | null;
}

const PREFIX = 'coursewire-webhook-draft';

function keyOf(webhookId: number | null): string {
  return `${PREFIX}:${webhookId ?? 'new'}`;
}

/** The draft that this tab keeps of a webhook, or of a new one (null). */
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

/** Keeps it until the tab is closed. Where a browser refuses that, nothing is kept. */
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
