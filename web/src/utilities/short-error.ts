/** What stands before the reason in every error of a delivery. */
const BEFORE_REASON = ' failed for reason: ';

/** The reason alone, for lists in which the address is known. */
export function shortError(error: string): string {
  const at = error.indexOf(BEFORE_REASON);
  return at < 0 ? error : error.slice(at + BEFORE_REASON.length);
}
