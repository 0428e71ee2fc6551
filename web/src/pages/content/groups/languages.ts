/** Languages that are offered; any other tag (BCP 47) can be typed. */
const OFFERED = [
  'ar',
  'bg',
  'bn',
  'bs',
  'ca',
  'cs',
  'da',
  'de',
  'de-AT',
  'de-CH',
  'el',
  'en',
  'en-AU',
  'en-GB',
  'en-US',
  'es',
  'es-419',
  'es-MX',
  'et',
  'fa',
  'fi',
  'fil',
  'fr',
  'fr-CA',
  'fr-CH',
  'ga',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'is',
  'it',
  'ja',
  'kk',
  'ko',
  'lt',
  'lv',
  'mk',
  'ms',
  'nb',
  'nl',
  'nl-BE',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sq',
  'sr',
  'sv',
  'sw',
  'ta',
  'te',
  'th',
  'tr',
  'uk',
  'ur',
  'vi',
  'zh-Hans',
  'zh-Hant',
] as const;

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** `German (Switzerland)` for `de-CH`; null for tags without a name in English. */
export function languageName(tag: string): string | null {
  try {
    return names.of(tag) ?? null;
  } catch {
    return null;
  }
}

/** The tags that are offered, by their names. */
export const OFFERED_LANGUAGES: readonly { tag: string; name: string }[] = OFFERED.map((tag) => ({
  tag,
  name: languageName(tag) ?? tag,
})).sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** The tag that a text means: itself, or that of the language with this name. */
export function tagOf(text: string): string {
  const typed = text.trim().toLocaleLowerCase();
  return OFFERED_LANGUAGES.find(({ name }) => name.toLocaleLowerCase() === typed)?.tag ?? text.trim();
}
