import type { Transaction } from '../../database/database.ts';
import type { ServiceEvent } from '../../events/event.ts';
import { ownPart } from '../../queue/shared-bodies.ts';
import { formatIds } from './id-ranges.ts';
import { formatReferences } from './stored-event.ts';

/** An event for the log. */
export interface NewEvent {
  /** Drawn from the sequence beforehand. */
  id: number;
  event: ServiceEvent;
  occurredAt: number;
  /** The common part of its messages. */
  shared: string;
  /** The id of that part if it is stored once for all. */
  sharedId: number | null;
  /** The webhooks that it matches, by ascending id; null if the webhooks service is disabled. */
  matched: readonly number[] | null;
}

/**
 * Stores events in the log, in the transaction of the change that caused them. Each is one row, however many webhooks
 * it matches.
 */
export async function recordEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  await tx.insertMany(
    'events',
    ['id', 'occurred_at', 'body', 'shared_body_id', 'focused', 'matched'],
    events.map(({ id, event, occurredAt, shared, sharedId, matched }) => [
      id,
      occurredAt,
      sharedId === null ? shared : ownPart('', ''),
      sharedId,
      formatReferences(event.content),
      matched === null ? null : formatIds(matched),
    ]),
  );
}
