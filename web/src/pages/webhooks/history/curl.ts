/** Placeholder for the target's key and secret, which are never shown. */
const CREDENTIALS_PLACEHOLDER = 'KEY:SECRET';

/**
 * A command for POSIX shells that posts a message to a target, with its id and exactly its body. Timestamp and signature are
 * missing, because each attempt has its own.
 */
export function curlCommand(postback: {
  targetUrl: string;
  messageId: string;
  body: string;
  withCredentials: boolean;
}): string {
  return [
    `curl -X POST ${quoted(postback.targetUrl)}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-H ${quoted(`webhook-id: ${postback.messageId}`)}`,
    ...(postback.withCredentials ? [`-u ${quoted(CREDENTIALS_PLACEHOLDER)}`] : []),
    `--data-binary ${quoted(postback.body)}`,
  ].join(' \\\n  ');
}

/** In single quotes, a shell takes everything literally, except for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
