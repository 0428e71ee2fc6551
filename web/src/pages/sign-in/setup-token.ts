declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The one-time link's token, kept with the tab's entry so that a reload does not lose it. */
    setupToken?: string;
  }
}

/** The token of a one-time link's address (`…/ui/setup#token=…`), from what follows its `#`. */
export function setupToken(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token === null || token === '' ? null : token;
}
