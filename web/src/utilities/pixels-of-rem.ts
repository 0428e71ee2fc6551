/** The font size of the page, which its visitor may have changed. */
export function pixelsOfRem(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
