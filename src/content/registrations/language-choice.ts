import { acceptedLanguages } from '../../http/accepted-languages.ts';
import { canonicalLanguage } from '../equivalents/language.ts';

/** Maximum number of languages read from a header field: browsers send a handful. */
const MAX_RANGES = 20;

/**
 * The choices for the first requested language that has a match. A match is the same language, otherwise its variants
 * (`en-GB` and `en-US` for `en`), otherwise a more general one (`de` for `de-AT`), as in RFC 4647 section 3.4.
 *
 * @param ranges language tags, the preferred one first
 */
export function fittingLanguages<Choice extends { readonly language: string }>(
  choices: readonly Choice[],
  ranges: readonly string[],
): Choice[] {
  for (const range of ranges) {
    for (let wanted = range.toLowerCase(); wanted !== ''; wanted = generalized(wanted)) {
      const same = choices.filter(({ language }) => language.toLowerCase() === wanted);
      if (same.length > 0) return same;
      const variants = choices.filter(({ language }) => language.toLowerCase().startsWith(`${wanted}-`));
      if (variants.length > 0) return variants;
    }
  }
  return [];
}

/** The languages that a browser accepts, in canonical form and in order of preference. Invalid ones are omitted. */
export function browserLanguages(field: string | undefined): string[] {
  return acceptedLanguages(field, MAX_RANGES).flatMap((tag) => canonicalLanguage(tag) ?? []);
}

/**
 * A tag without its last part; empty for the most general one. A single-letter subtag is removed together with the one
 * that follows it.
 */
function generalized(tag: string): string {
  return tag.split('-').slice(0, -1).join('-').replace(/-\w$/, '');
}
