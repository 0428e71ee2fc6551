import type { Transaction } from '../../database/database.ts';
import type { SpanAttributes, TraceHeaders, Tracing } from '../../observability/tracing/tracing.ts';
import type { QueueMessage } from '../../queue/message-queue.ts';

/** Returns the message with its place in the trace of the work that is queueing it. */
export type TraceMessage = (tx: Transaction, message: QueueMessage) => QueueMessage;

/**
 * Makes a span for each message that is queued. Its context is stored with the message, in the same transaction, and
 * the attempts become its children. A transaction that fails leaves no span.
 */
export function traceMessages(tracing: Tracing): TraceMessage {
  return (tx, message) => {
    const span = tracing.startSpan(`queue ${message.label}`, {
      kind: 'producer',
      attributes: { 'messaging.operation.type': 'send', ...messageAttributes(message) },
    });
    tx.onCommit(() => span.end());
    const { headers } = span;
    return Object.keys(headers).length === 0
      ? message
      : { ...message, traceContext: JSON.stringify(headers) };
  };
}

/** What identifies a message, in the spans about it. */
export function messageAttributes({ lineId, messageId, label }: QueueMessage): SpanAttributes {
  return {
    'messaging.system': 'coursewire',
    'messaging.destination.name': String(lineId),
    'messaging.message.id': messageId,
    'coursewire.webhook.id': lineId,
    'coursewire.subtopic': label,
  };
}

/** The stored context of a message; null if it was not traced. */
export function traceHeadersOf({ traceContext }: QueueMessage): TraceHeaders | null {
  return traceContext === undefined ? null : (JSON.parse(traceContext) as TraceHeaders);
}
