const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** `German (Switzerland)` for `de-CH`; null for tags without an English name. */
export function languageName(tag: string): string | null {
  try {
    return names.of(tag) ?? null;
  } catch {
    return null;
  }
}
