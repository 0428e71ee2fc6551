/**
 * What a failed attempt is, and its text: written by delivery, and read again by the API, alerts, the admin UI and the
 * demo.
 */

/** The lowest status of a response that is a failure. */
export const LOWEST_FAILURE_STATUS = 300;

/** The text before the reason in every delivery error. */
const BEFORE_REASON = ' failed for reason: ';

/** The text of a webhook's last error. */
export function postbackFailureMessage(url: string, reason: string): string {
  return `Request to postback URL '${url}'${BEFORE_REASON}${reason}`;
}

/** The reason alone, where the address is shown elsewhere. Any other text is returned whole. */
export function postbackFailureReason(message: string): string {
  const at = message.indexOf(BEFORE_REASON);
  return at < 0 ? message : message.slice(at + BEFORE_REASON.length);
}
