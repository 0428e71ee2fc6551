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

/** Characters of a condition or description that is kept as it stands. */
const TEXT_CHARACTERS = 4_000;

/** The trimmed text of an element, cut where it is longer than any course needs; null when it is missing or blank. */
export function shortText(element: { readonly text: string } | undefined): string | null {
  return element?.text.trim().slice(0, TEXT_CHARACTERS).toWellFormed() || null;
}
