/** A language tag (BCP 47) in canonical form (`de-ch` is `de-CH`, `iw` is `he`), or null if it is invalid. */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
