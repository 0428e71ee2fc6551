/**
 * Whether people read the same name in both texts, and so cannot type the one for the other by mistake. Ignores what
 * is not typed: how many spaces there are and of which kind, how characters are encoded (`ﬁ`, `²`), and characters
 * without a picture, unless the name has no others.
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
