/** Embeds a text in a sentence without affecting its direction (Unicode's first-strong isolate). */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}
