/**
 * Whether people read the same name in both texts, and so cannot type the one for the other by mistake. Ignores
 * differences that people do not type: the number and kinds of spaces, encodings of characters (`ﬁ`, `²`), and
 * invisible characters, unless the name has no others.
 */
export function isSameName(one: string, other: string): boolean {
  const shown = visible(one);
  return shown === '' ? one === other : shown === visible(other);
}

function visible(text: string): string {
  return text
    .replace(/[\p{Cf}\p{DI}]/gu, '')
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim();
}
