/**
 * Letters beyond ASCII in either case, by one law for both engines, neither of which has one of its own: SQLite knows the
 * case of ASCII letters only, PostgreSQL that of the locale which the database was made with.
 */

const SIGMAS = /[Σς]/;
/** Letters that the lower case of a text does not fold, or that are no upper case of the letter which they fold to. */
const SPECIAL = 'µİǅǈǋǲ\u0345ςϐϑϕϖϰϱϴϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛẞ\u1fbe\u2126\u212a\u212b' + 'ᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼῌῼ';
const SPECIAL_BUT_SIGMA = new RegExp(`[${SPECIAL.replace('ς', '')}]`);

/**
 * The letter that stands for all forms of a letter. What has no single letter as its other case stands for itself, as do
 * those beyond ASCII whose other case is of ASCII (the signs of Kelvin and of the Turkish i).
 */
export function foldLetter(letter: string): string {
  if (isAscii(letter)) return letter.toLowerCase();
  const upper = letter.toUpperCase();
  const folded = (isOne(upper) ? upper : letter).toLowerCase();
  return isOne(folded) && !isAscii(folded) ? folded : letter;
}

/** A text with each letter folded. */
export function foldLetters(text: string): string {
  if (SPECIAL_BUT_SIGMA.test(text)) return Array.from(text, foldLetter).join('');
  const folded = text.toLowerCase();
  // At the end of a word a sigma has a form of its own.
  return SIGMAS.test(text) ? folded.replaceAll('ς', 'σ') : folded;
}

/** Every letter that folds to the same one. */
export function formsOf(letter: string): string[] {
  const folded = foldLetter(letter);
  const others = Array.from(SPECIAL).filter((special) => foldLetter(special) === folded);
  const upper = folded.toUpperCase();
  return [...new Set([folded, ...(isOne(upper) && foldLetter(upper) === folded ? [upper] : []), ...others])];
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}
