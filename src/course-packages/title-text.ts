/** Characters of a title; longer ones are cut. */
const TITLE_CHARACTERS = 500;

/** A text from a manifest as a title: one line, without control characters, of bounded length; null when it is blank. */
export function titleText(text: string | null): string | null {
  // Cut before the replacing, with room for the white space that manifests indent long titles with.
  const characters = Array.from(
    (text ?? '')
      .slice(0, 10 * TITLE_CHARACTERS)
      .toWellFormed()
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  );
  if (characters.length <= TITLE_CHARACTERS) return characters.join('') || null;
  return `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…`;
}
