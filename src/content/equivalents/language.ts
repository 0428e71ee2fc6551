/** Maximum length of a tag. The time to find its canonical form grows with the square of the length. */
export const MAX_LANGUAGE_LENGTH = 100;

/** A language tag (BCP 47) in canonical form (`de-ch` is `de-CH`, `iw` is `he`), or null if it is invalid or too long. */
export function canonicalLanguage(tag: string): string | null {
  if (tag.length > MAX_LANGUAGE_LENGTH) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
