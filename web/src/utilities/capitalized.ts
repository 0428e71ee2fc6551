/** With its first letter as a capital: `must be a URL` → `Must be a URL` */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
