/**
 * Whether people see the same name in both texts, and so cannot type the one for the other by mistake. Ignores what is
 * invisible: how many spaces there are and of which kind, how accents are encoded, and characters without a picture.
 */
export function isSameName(one: string, other: string): boolean {
  return visible(one) === visible(other);
}

function visible(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{DI}]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}
