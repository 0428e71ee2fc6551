/** The key that shortcuts are combined with, as it is printed on the keyboard. */
export function modKey(): '⌘' | 'Ctrl' {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
