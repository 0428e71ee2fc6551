/**
 * A name that is malicious as markup, with letters that are written from right to left, a character that turns the
 * direction of what follows, and an emoji.
 */
export const HOSTILE = '<img src=x onerror="document.title=1"> \u202eسلام 🚒';
