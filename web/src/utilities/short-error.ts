/** The text before the reason in every delivery error. */
const BEFORE_REASON = ' failed for reason: ';

/** The reason alone, for lists that show the address. */
export function shortError(error: string): string {
  const at = error.indexOf(BEFORE_REASON);
  return at < 0 ? error : error.slice(at + BEFORE_REASON.length);
}
