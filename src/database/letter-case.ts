/**
 * Upper and lower case of letters beyond ASCII, by the same rule on both engines. SQLite converts only ASCII letters,
 * and PostgreSQL uses the locale of the database.
 */

const SIGMAS = /[Σς]/;
/** Letters that are not folded by lower case alone, or that are not the upper case of the letter they fold to. */
const SPECIAL = 'µİǅǈǋǲ\u0345ςϐϑϕϖϰϱϴϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛẞ\u1fbe\u2126\u212a\u212b' + 'ᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼῌῼ';
const SPECIAL_BUT_SIGMA = new RegExp(`[${SPECIAL.replace('ς', '')}]`);

/**
 * The representative of all forms of a letter. A letter without a single letter as its other case represents
 * itself. So do letters beyond ASCII whose other case is an ASCII letter (the Kelvin sign and the Turkish i).
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
  // Sigma has a special form at the end of a word.
  return SIGMAS.test(text) ? folded.replaceAll('ς', 'σ') : folded;
}

/** All letters that fold to the same letter. */
export function formsOf(letter: string): string[] {
  const folded = foldLetter(letter);
  const others = Array.from(SPECIAL).filter((special) => foldLetter(special) === folded);
  const upper = folded.toUpperCase();
  return [...new Set([folded, ...(isOne(upper) && foldLetter(upper) === folded ? [upper] : []), ...others])];
}

/** Whether a text has ASCII characters only. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}
