import type { Arrival, ConfigurationSpan, ExpectedMessage } from './log.ts';
import type { WebhookConfiguration } from './webhook-model.ts';

/** The timestamp of a message. */
export function timestampOf(text: string): string {
  try {
    const { timestamp } = JSON.parse(text) as { timestamp?: unknown };
    return typeof timestamp === 'string' ? timestamp : '(none)';
  } catch {
    return '(no JSON)';
  }
}

/** Whether an arrival is an expected message, byte for byte. */
export function isText({ again, text }: ExpectedMessage, arrival: Arrival, timestamp: string): boolean {
  return again === null
    ? text(timestamp) === arrival.text
    : again.messageId === arrival.messageId && again.text === arrival.text;
}

/** Whether a message that is received with this configuration is discarded. Its timestamp may not be known exactly. */
export function discards(
  { configuration, deleted }: Pick<ConfigurationSpan, 'configuration' | 'deleted'>,
  { wall }: ExpectedMessage,
): 'yes' | 'no' | 'maybe' {
  if (deleted || !configuration.enabled) return 'yes';
  const before = configuration.ignoreBefore;
  if (before === null || wall.start >= before) return 'no';
  return wall.end < before ? 'yes' : 'maybe';
}

/** The header field that the target receives. */
export function authorizationOf({ credentials }: WebhookConfiguration): string | undefined {
  return credentials === null
    ? undefined
    : `Basic ${Buffer.from(`${credentials.key}:${credentials.secret}`).toString('base64')}`;
}
