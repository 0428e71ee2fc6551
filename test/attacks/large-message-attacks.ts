import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { openDatabaseOf } from '../support/database.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';
import { type Attack, assertStatus } from './attack.ts';
import type { ManyRows } from './many-rows.ts';

/** The number of messages on a page. */
const MESSAGES = 200;
/** The number of messages that a search examines. */
const SEARCHED = 2_000;
/** As many assets as a message has, with names of the maximum length. */
const ASSETS = 500;
const NAME = '\u{1f600}'.repeat(200);

/** Attacks that read messages about many assets with long names: about 400 KB each. */
export async function largeMessageAttacks(
  { api, settings }: WatchedService,
  rows: ManyRows,
): Promise<Attack[]> {
  const input = webhookInput({ topic: 'ACCOUNT_CONTENT', paused: true });
  const [listed, searched] = [await api.create('/webhooks', input), await api.create('/webhooks', input)];
  await rows.deadLetters(listed.id, MESSAGES, body(7));
  await rows.sharedDeadLetters(searched.id, SEARCHED, body(8));
  await queue(settings.data_dir, listed.id);
  await rows.events(MESSAGES, eventText());
  const read = (name: string, path: string): Attack => ({
    name: `large messages: ${name}`,
    perform: async () => assertStatus(await api.get(path), 200),
  });
  const filter = 'account_id=9&limit=200';
  return [
    read('a page of the history', `/webhooks/${listed.id}/deliveries?limit=200`),
    read('a page of a line', `/webhooks/${listed.id}/line/messages?limit=200`),
    read('a page of the dead letters', `/ui/api/dead-letters?webhook_id=${listed.id}&limit=200`),
    read('a page of the event log', '/events?limit=200'),
    read('a search in the event log', '/events?account_id=7&limit=200'),
    read('a search in the history', `/webhooks/${searched.id}/deliveries?${filter}`),
    read(
      'a search in undelivered messages',
      `/webhooks/${searched.id}/deliveries?status=DEAD_LETTERED&${filter}`,
    ),
    read('a search in the dead letters', `/ui/api/dead-letters?webhook_id=${searched.id}&${filter}`),
    {
      name: 'large messages: a redelivery with a filter',
      async perform() {
        assertStatus(await api.post(`/webhooks/${searched.id}/deliveries/redeliver?account_id=9`), 202);
      },
    },
  ];
}

/** A message as it is sent. */
function body(accountId: number): string {
  const contents = Array.from({ length: ASSETS }, (_, n) => ({ type: 'BUNDLE', id: n + 1, name: NAME }));
  const account = { id: accountId, name: 'a', enabled: true };
  return JSON.stringify({ resource: { account, content: { folder: { contents } } } });
}

/** The common part of the messages of an event. */
function eventText(): string {
  const event = { subtopic: 'CONTENT_ADDED_TO_ACCOUNT', ...JSON.parse(body(7)), user: 'ann@example.com' };
  return JSON.stringify(event).slice(1, -1);
}

async function queue(dataDir: string, lineId: number): Promise<void> {
  await using database = await openDatabaseOf(dataDir);
  const engine = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
  const text = body(7);
  for (let n = 0; n < MESSAGES; n++) {
    const message = { lineId, messageId: `large-${n}`, label: 'CONTENT_ADDED_TO_ACCOUNT', body: text };
    await database.transaction((tx) => engine.enqueue(tx, [{ ...message, occurredAt: Date.now() }]));
  }
}
