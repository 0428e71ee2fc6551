import type { Selectable } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import type { DeliveryAttemptRow } from '../../database/schema.ts';
import { notFound } from '../../problems/problem.ts';
import { wholeBodies } from '../../queue/shared-bodies.ts';
import { requireAnyWebhook } from '../configuration/webhook-store.ts';
import { type MessageSubject, messageSubject } from '../messages/message-subject.ts';
import { unreadableConflict } from '../messages/unreadable-message.ts';
import { readSubjects } from './bodies-read.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { type DeliveryOutline, readDeliveryPage } from './delivery-page-store.ts';
import {
  readDelivery,
  readDeliveryOfMessage,
  readEarlierAttempts,
  type StoredDelivery,
} from './delivery-store.ts';

/** Maximum number of attempts of a delivery in a response. */
const MAX_ATTEMPTS_SHOWN = 100;

/** A delivery in a list, with what its message is about. */
export interface DeliveryInBrief {
  delivery: DeliveryOutline;
  about: MessageSubject;
}

/** A delivery with its latest attempts, in order. */
export interface DeliveryDetails {
  delivery: StoredDelivery;
  /** The message as sent. */
  body: string;
  attempts: Selectable<DeliveryAttemptRow>[];
}

/**
 * The deliveries of a webhook, newest first. Deliveries of a deleted webhook can be read until they expire.
 * @throws {ProblemError} `not-found`
 */
export async function readDeliveries(
  reader: Reader,
  webhookId: number,
  { filter, page }: { filter: DeliveryFilter; page: PageRequest },
): Promise<Page<DeliveryInBrief>> {
  await requireAnyWebhook(reader, webhookId);
  const { items, next } = await readDeliveryPage(reader, { webhookId, filter, page });
  const subjects = await readSubjects(
    reader,
    items.map(({ id }) => id),
  );
  // Those that were removed in the meantime are missing.
  const found = items.filter(({ id }) => subjects.has(id));
  return { items: found.map((delivery) => ({ delivery, about: subjects.get(delivery.id)! })), next };
}

/** The delivery of a message, for other slices, which read no stores. Undefined if the history does not have it. */
export async function readMessageDelivery(
  reader: Pick<Reader, 'query'>,
  messageId: string,
): Promise<StoredDelivery | undefined> {
  return await readDeliveryOfMessage(reader, messageId);
}

/** @throws {ProblemError} `not-found`, `conflict` if the message cannot be read */
export async function readDeliveryDetails(
  reader: Reader,
  webhookId: number,
  deliveryId: number,
): Promise<DeliveryDetails> {
  const delivery = await readDelivery(reader, webhookId, deliveryId);
  if (delivery === undefined) throw notFound('delivery', deliveryId);
  const attempts = await readEarlierAttempts(reader, deliveryId, MAX_ATTEMPTS_SHOWN);
  if (delivery.attempted_at !== null && delivery.duration_ms !== null) {
    attempts.push({
      delivery_id: delivery.id,
      attempt: delivery.attempts,
      attempted_at: delivery.attempted_at,
      duration_ms: delivery.duration_ms,
      response_status: delivery.response_status,
      response_body: delivery.response_body,
      error: delivery.error,
      resent: delivery.resent,
      headers: delivery.headers,
    });
  }
  const [whole] = await wholeBodies(reader, [delivery]);
  if (whole!.unreadable !== undefined) throw unreadableConflict(whole!.unreadable);
  return { delivery, body: whole!.body, attempts: attempts.slice(-MAX_ATTEMPTS_SHOWN) };
}

/** A delivery with what its message is about. */
export async function inBrief(
  reader: Pick<Reader, 'allFor'>,
  delivery: StoredDelivery,
): Promise<DeliveryInBrief> {
  const [whole] = await wholeBodies(reader, [delivery]);
  return { delivery, about: messageSubject(whole!.body) };
}
