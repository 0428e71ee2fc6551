/** The modifier key of shortcuts, as printed on the keyboard. */
export function modKey(): '⌘' | 'Ctrl' {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
