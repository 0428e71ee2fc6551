import { withoutLanguageGroup } from './extended-languages.ts';

/** Maximum length of a tag. The time to find its canonical form grows with the square of the length. */
export const MAX_LANGUAGE_LENGTH = 100;

/** The error of a text that is no language tag, or one of those that {@link canonicalLanguage} does not know. */
export const LANGUAGE_RULE =
  'must be a language tag (BCP 47), such as de-CH; most grandfathered tags, and tags that begin with x-, are not accepted';

/**
 * A language tag (BCP 47) in canonical form (`de-ch` is `de-CH`, `iw` is `he`, `zh-yue` is `yue`), or null if it is invalid or
 * too long. Also null for most grandfathered tags, and for private ones, which name no language.
 */
export function canonicalLanguage(tag: string): string | null {
  if (tag.length > MAX_LANGUAGE_LENGTH) return null;
  try {
    return Intl.getCanonicalLocales(withoutLanguageGroup(tag))[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
