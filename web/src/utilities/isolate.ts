/** A text from elsewhere within a sentence of ours: its direction stays its own (Unicode's first-strong isolate). */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}
