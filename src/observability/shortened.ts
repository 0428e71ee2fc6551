/**
 * A text of at most `length` code units, with an ellipsis at the end if it was longer. It is never cut within a
 * character: many parsers reject JSON with half of one.
 */
export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
