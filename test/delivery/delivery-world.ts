import assert from 'node:assert/strict';
import type { Api } from '../support/service.ts';
import { until } from '../support/service.ts';
import type { ReceivedPostback, Target } from '../support/target.ts';

/** What the tests of delivery look at of an account event's message. */
interface AccountMessage {
  resource: { account: { name: string } };
}

/** Makes an ACCOUNT webhook that each created account sends one message to; `overrides` win. */
export async function createWebhook(
  api: Api,
  targetUrl: string,
  overrides: Record<string, unknown> = {},
): Promise<number> {
  const webhook = await api.create('/webhooks', {
    name: 'Accounts',
    topic: 'ACCOUNT',
    subtopics: ['ACCOUNT_CREATED'],
    target_url: targetUrl,
    ...overrides,
  });
  return webhook.id;
}

/** Changes members of a webhook and leaves the others as they are. */
export async function editWebhook(api: Api, id: number, changes: Record<string, unknown>): Promise<void> {
  const { body } = await api.get(`/webhooks/${id}`);
  const answer = await api.put(`/webhooks/${id}`, { ...body, ...changes });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** Creates accounts of these names, one after the other: one event each. */
export async function createAccounts(api: Api, ...names: string[]): Promise<void> {
  for (const name of names) await api.create('/accounts', { name });
}

/** The names of the accounts that postbacks tell of, in the order of their arrival. */
export function namesOf(requests: readonly ReceivedPostback[]): string[] {
  return requests.map((request) => (request.json as AccountMessage).resource.account.name);
}

/** The `webhook-id` of each postback. */
export function idsAt(target: Target): (string | string[] | undefined)[] {
  return target.requests.map((request) => request.headers['webhook-id']);
}

/** A webhook's statistics. */
// biome-ignore lint/suspicious/noExplicitAny: a record of the API.
export async function statisticsOf(api: Api, id: number): Promise<any> {
  return (await api.get(`/webhooks/${id}/statistics`)).body;
}

/** A webhook's line. */
// biome-ignore lint/suspicious/noExplicitAny: a record of the API.
export async function lineOf(api: Api, id: number): Promise<any> {
  const answer = await api.get(`/webhooks/${id}/line`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** A webhook's latest deliveries, latest first; `query` such as `?status=DISCARDED`. */
// biome-ignore lint/suspicious/noExplicitAny: records of the API.
export async function deliveriesOf(api: Api, id: number, query = ''): Promise<any[]> {
  const answer = await api.get(`/webhooks/${id}/deliveries${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data;
}

/** Waits until a webhook's line is in a state. */
// biome-ignore lint/suspicious/noExplicitAny: a record of the API.
export async function untilLine(api: Api, id: number, state: string, depth?: number): Promise<any> {
  return await until(async () => {
    const line = await lineOf(api, id);
    return line.state === state && (depth === undefined || line.depth === depth) && line;
  }, `the line of webhook ${id} is ${state}`);
}

/** Waits until as many of a webhook's messages have a status, and answers them in the order of their events. */
export async function untilDeliveries(
  api: Api,
  id: number,
  status: string,
  count: number,
  // biome-ignore lint/suspicious/noExplicitAny: records of the API.
): Promise<any[]> {
  return await until(async () => {
    const deliveries = await deliveriesOf(api, id, `?status=${status}&limit=200`);
    return deliveries.length === count && deliveries.reverse();
  }, `${count} messages of webhook ${id} are ${status}`);
}
