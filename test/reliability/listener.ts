import assert from 'node:assert/strict';
import { ON_POSTGRES } from '../support/postgres.ts';
import type { AccountChanger, AccountEvent, AccountSubtopic } from './account-events.ts';
import type { Instances } from './instances.ts';

/** A webhook to create: the events of its messages and the behaviour of its target. */
export interface Plan {
  subtopics?: AccountSubtopic[];
  /** Indexes in the list of focused accounts. */
  focus?: number[];
  /** The probability that the target fails a request. */
  failing: number;
  maxAttempts: number;
}

/** A request that a target received. */
export interface Arrival {
  messageId: string;
  text: string;
  /** The number of the process that sent it. */
  life: number;
  /** Whether the target answered 2xx. */
  taken: boolean;
  /** Whether the sender did not read the answer, because its time limit had ended. */
  isUnread?: boolean;
  /** When it arrived, by `performance.now()`, if a run needs to know. */
  at?: number;
}

/** A webhook and the requests that its target received. */
export interface Listener {
  id: number;
  plan: Plan;
  focusIds: number[] | null;
  arrivals: Arrival[];
}

/** Messages by their first arrival. */
export function firstArrivals({ arrivals }: Listener): Arrival[] {
  const seen = new Set<string>();
  return arrivals.filter(({ messageId }) => {
    const isFirst = !seen.has(messageId);
    seen.add(messageId);
    return isFirst;
  });
}

/** A message arrives again only immediately, unchanged, and after a failure or from another process. */
export function assertRepeatsAreExplained({ arrivals }: Listener, about: string): void {
  const seen = new Map<string, string>();
  for (const [n, arrival] of arrivals.entries()) {
    const text = seen.get(arrival.messageId);
    seen.set(arrival.messageId, arrival.text);
    if (text === undefined) continue;
    const before = arrivals[n - 1]!;
    assert.equal(before.messageId, arrival.messageId, `${about}: repeated after another message`);
    assert.equal(text, arrival.text, `${about}: changed between attempts`);
    assert.ok(!before.taken || before.life !== arrival.life, `${about}: repeated without a reason`);
  }
}

/**
 * After a power failure, messages whose outcomes were not on disk yet arrive again: from the first of them on, in order and
 * unchanged. Otherwise a message is repeated at once, and only after a failure.
 * @returns how many messages were delivered again because of it
 */
export function assertRepeatsFollowPowerLoss({ arrivals }: Listener, about: string): number {
  const places = new Map<string, number>();
  const texts: string[] = [];
  let repeated = 0;
  for (const [n, { messageId, text, life }] of arrivals.entries()) {
    const place = places.get(messageId) ?? texts.length;
    places.set(messageId, place);
    texts[place] ??= text;
    assert.equal(text, texts[place], `${about}: changed between attempts`);
    const before = arrivals[n - 1];
    if (before === undefined) continue;
    const placeBefore = places.get(before.messageId)!;
    const isNext = place === placeBefore + 1;
    const isRetry = place === placeBefore && !before.taken;
    const isRestart = life !== before.life && place <= placeBefore;
    assert.ok(isNext || isRetry || isRestart, `${about}: message ${place} came after ${placeBefore}`);
    if (isRestart && !isRetry) repeated += placeBefore - place + 1;
  }
  return repeated;
}

/** Every event that it listens to arrived as one message, in order for each account, and nothing else arrived. */
export function assertEveryEventOnceInOrder(
  listener: Listener,
  changers: readonly AccountChanger[],
  about: string,
): void {
  const came = firstArrivals(listener).map(eventIn);
  const wanted = changers.flatMap(({ events }) => events).filter((event) => isOf(listener, event));
  assert.deepEqual(byAccount(came), byAccount(wanted), about);
  // PostgreSQL runs transactions in parallel: lines keep the order of commits, and a timestamp is from before the commit.
  if (ON_POSTGRES) return;
  const timestamps = firstArrivals(listener).map(({ text }) => String(JSON.parse(text).timestamp));
  assert.deepEqual(timestamps, timestamps.toSorted(), `${about}: in another order than the events`);
}

/** Its messages arrived in the order of the webhook that listens to everything. */
export function assertOrderOf(everything: readonly Arrival[], listener: Listener, about: string): void {
  const wanted = everything.map(eventIn).filter((event) => isOf(listener, event));
  assert.deepEqual(
    firstArrivals(listener).map(eventIn),
    wanted,
    `${about}: in a different order from the others`,
  );
}

/**
 * History, statistics, the line and the received requests agree, except for requests that kills left unrecorded: one for each
 * webhook, unless `mostUnrecorded` says otherwise.
 */
export async function assertHistoryAgrees(
  listener: Listener,
  program: Pick<Instances, 'read' | 'readAll' | 'deaths'>,
  about: string,
  { mostUnrecorded = program.deaths }: { mostUnrecorded?: number } = {},
): Promise<void> {
  const deliveries = await program.readAll(`/webhooks/${listener.id}/deliveries`);
  const { body: statistics } = await program.read(`/webhooks/${listener.id}/statistics`);
  const messages = firstArrivals(listener).map(({ messageId }) => messageId);
  assert.deepEqual(
    deliveries.map((delivery) => delivery.message_id).sort(),
    messages.toSorted(),
    `${about}: the history is of other messages`,
  );
  const idsOf = (status: string): string[] =>
    deliveries.filter((delivery) => delivery.status === status).map((delivery) => delivery.message_id);
  const delivered = idsOf('DELIVERED');
  const dead = idsOf('DEAD_LETTERED');
  assert.equal(delivered.length + dead.length, messages.length, `${about}: neither delivered nor dead`);
  const last = new Map(listener.arrivals.map(({ messageId, taken }) => [messageId, taken]));
  for (const id of delivered) assert.equal(last.get(id), true, `${about}: ${id} was not taken`);
  for (const id of dead) assert.equal(last.get(id), false, `${about}: ${id} was taken`);
  if (listener.plan.maxAttempts > program.deaths * messages.length) assert.deepEqual(dead, [], about);

  const attempts = deliveries.reduce((sum: number, delivery) => sum + delivery.attempts, 0);
  assert.equal(statistics.success_count, delivered.length, `${about}: successes`);
  assert.equal(statistics.success_count + statistics.error_count, attempts, `${about}: attempts`);
  const unrecorded = listener.arrivals.length - attempts;
  assert.ok(
    unrecorded >= 0 && unrecorded <= mostUnrecorded,
    `${about}: ${unrecorded} requests are not recorded`,
  );
  for (const { message_id, status, attempts: tried } of deliveries) {
    assert.ok(tried <= listener.plan.maxAttempts, `${about}: ${message_id} was tried ${tried} times`);
    const came = listener.arrivals.filter(({ messageId }) => messageId === message_id).length;
    // A message has used up an attempt if its process was killed between receiving and sending it.
    const enough = listener.plan.maxAttempts - program.deaths;
    if (status === 'DEAD_LETTERED') assert.ok(came >= enough, `${about}: ${message_id} died after ${came}`);
  }
}

function eventIn({ text }: Arrival): AccountEvent {
  const { subtopic, resource } = JSON.parse(text);
  return { subtopic, ...resource.account };
}

function isOf({ plan, focusIds }: Listener, { id, subtopic }: AccountEvent): boolean {
  if (focusIds !== null && (!focusIds.includes(id) || subtopic === 'ACCOUNT_CREATED')) return false;
  return plan.subtopics === undefined || plan.subtopics.includes(subtopic);
}

function byAccount(events: readonly AccountEvent[]): Record<string, AccountEvent[] | undefined> {
  const groups = Object.groupBy(events, ({ id }) => String(id));
  return Object.fromEntries(Object.entries(groups).sort(([a], [b]) => Number(a) - Number(b)));
}
