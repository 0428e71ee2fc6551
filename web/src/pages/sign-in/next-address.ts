const MAX_LENGTH = 2_000;

/**
 * Where to continue after signing in: an address within the UI, or null. A link to the sign-in page must not be
 * able to send people elsewhere.
 */
export function nextAddress(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > MAX_LENGTH) return null;
  return /^\/(?![/\\])[^\\\s]*$/.test(given) ? given : null;
}
