declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The token of the one-time link, kept in the history entry so that a reload does not lose it. */
    setupToken?: string;
  }
}

/** The token of a one-time link (`…/ui/setup#token=…`), from the part after `#`. */
export function setupToken(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token === null || token === '' ? null : token;
}
