/** The length of a text in characters, as the service counts them: an emoji is one, though a string has two units for it. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** The first characters of a text, up to this number. */
export function firstOf(text: string, count: number): string {
  return [...text].slice(0, count).join('');
}
