/** Maximum length of a title; longer ones are truncated. */
const TITLE_CHARACTERS = 500;

/** A text from a manifest as a title: one line, without control characters, of limited length; null if it is blank. */
export function titleText(text: string | null): string | null {
  // Truncated before the replacement, with an allowance for the white space that indents long titles in manifests.
  return oneLine((text ?? '').slice(0, 10 * TITLE_CHARACTERS), TITLE_CHARACTERS) || null;
}

/** A text as one line, without control characters, of at most `most` characters; empty if it is blank. */
export function oneLine(text: string, most: number): string {
  const characters = Array.from(
    text
      .toWellFormed()
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  );
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** Maximum length of a condition or description that is stored unchanged. */
const TEXT_CHARACTERS = 4_000;

/** The trimmed text of an element, truncated if it is longer than any course needs; null if it is missing or blank. */
export function shortText(element: { readonly text: string } | undefined): string | null {
  return element?.text.trim().slice(0, TEXT_CHARACTERS).toWellFormed() || null;
}
