import type { Selectable } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import type { DeliveryAttemptRow } from '../../database/schema.ts';
import { notFound } from '../../problems/problem.ts';
import { wholeBodies } from '../../queue/shared-bodies.ts';
import { webhookWasEver } from '../configuration/webhook-store.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { readDeliveryPage } from './delivery-page-store.ts';
import { readDelivery, readEarlierAttempts, type StoredDelivery } from './delivery-store.ts';

/** Maximum number of attempts of a delivery in a response. */
const MAX_ATTEMPTS_SHOWN = 100;

/** A delivery in a list, with its message as sent. */
export interface DeliveryInBrief {
  delivery: StoredDelivery;
  body: string;
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
  if (!(await webhookWasEver(reader, webhookId))) throw notFound('webhook', webhookId);
  const { items, next } = await readDeliveryPage(reader, { webhookId, filter, page });
  return { items: await inBrief(reader, items), next };
}

/** @throws {ProblemError} `not-found` */
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
  return { delivery, body: whole!.body, attempts: attempts.slice(-MAX_ATTEMPTS_SHOWN) };
}

/** The deliveries in the same order, each with its message as sent. */
export async function inBrief(
  reader: Pick<Reader, 'allFor'>,
  deliveries: readonly StoredDelivery[],
): Promise<DeliveryInBrief[]> {
  const bodies = await wholeBodies(reader, deliveries);
  return deliveries.map((delivery, n) => ({ delivery, body: bodies[n]!.body }));
}
