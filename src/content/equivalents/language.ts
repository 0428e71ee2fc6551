/** A language tag (BCP 47) in its canonical spelling (`de-ch` is `de-CH`, `iw` is `he`); null when it is none. */
export function canonicalLanguage(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
