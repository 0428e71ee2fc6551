/**
 * The storages that the browser allows. It may allow only one kind, or none: then reading it throws, or it is null, as in
 * a WebView of Android. Both survive a reload; only the first survives a closed tab.
 */
export function storages(): Storage[] {
  const found: Storage[] = [];
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    try {
      const storage = window[name] as Storage | null;
      if (storage !== null) found.push(storage);
    } catch {
      // The browser does not allow it. The page itself still has the unsent data.
    }
  }
  return found;
}
