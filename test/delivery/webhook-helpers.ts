import assert from 'node:assert/strict';
import { readWhole } from '../support/each-page.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { type Api, until } from '../support/service.ts';
import { type ReceivedPostback, startTarget } from '../support/target.ts';
import { answer, type TargetExchange } from '../support/target-behaviours.ts';

/** Long enough that nothing is retried without a request to do so. */
export const LONG_RETRIES = { retry_initial_delay: 3_600, retry_max_delay: 3_600 };

/** Creates a webhook of topic ACCOUNT and returns its id. */
export async function createWebhook(
  api: Api,
  targetUrl: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const { id } = await api.create('/webhooks', configuration(targetUrl, changes));
  return id;
}

/** Replaces a webhook's configuration. */
export async function updateWebhook(
  api: Api,
  id: number,
  targetUrl: string,
  changes: Record<string, unknown> = {},
): Promise<void> {
  const answer = await api.put(`/webhooks/${id}`, configuration(targetUrl, changes));
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

function configuration(targetUrl: string, changes: Record<string, unknown>): Record<string, unknown> {
  return { name: 'Accounts', topic: 'ACCOUNT', target_url: targetUrl, ...changes };
}

/** Creates accounts with these names, one after another. Each causes an event. */
export async function createAccounts(api: Api, ...names: string[]): Promise<void> {
  for (const name of names) await api.create('/accounts', { name });
}

/** Names of this many accounts. */
export function accountNames(count: number, prefix = 'account'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** The names of the accounts that messages are about, in the order of arrival. */
export function accountsOf(requests: readonly ReceivedPostback[]): string[] {
  return requests.map(
    (request) => (request.json as { resource: { account: { name: string } } }).resource.account.name,
  );
}

/** The ids of the messages in requests, in the order of arrival. */
export function messageIdsOf(requests: readonly ReceivedPostback[]): string[] {
  return requests.map(({ headers }) => String(headers['webhook-id']));
}

/** A delivery as in a response of the API. */
export interface DeliveryRecord {
  id: number;
  message_id: string;
  status: string;
  status_reason: string | null;
  attempts: number;
  event_dt: string;
  updated_dt: string;
  duration_ms: number | null;
  response_status: number | null;
  error: string | null;
  message: { resource: { account: { name: string } } };
  attempt_history: {
    attempt: number;
    attempted_dt: string;
    duration_ms: number;
    response_status: number | null;
    response_body: string | null;
    error: string | null;
    resent: boolean;
    request_headers: { name: string; value: string }[] | null;
    response_headers: { name: string; value: string }[] | null;
  }[];
}

/** All deliveries of a webhook with all their members, earliest first. */
export async function deliveriesOf(api: Api, webhookId: number): Promise<DeliveryRecord[]> {
  const list = await listDeliveries(api, webhookId);
  return await Promise.all(
    list.map(async ({ id }) => (await api.get(`/webhooks/${webhookId}/deliveries/${id}`)).body),
  );
}

/** All deliveries in a webhook's list, earliest first. */
export async function listDeliveries(api: Api, webhookId: number): Promise<DeliveryRecord[]> {
  const all = await readWhole((page) => api.get(page), `/webhooks/${webhookId}/deliveries?limit=200`);
  return all.reverse();
}

/** Waits until a webhook has this many final deliveries, and returns all of them with all their members. */
export async function settledDeliveries(
  api: Api,
  webhookId: number,
  count: number,
): Promise<DeliveryRecord[]> {
  await until(async () => {
    const list = await listDeliveries(api, webhookId);
    return list.length === count && list.every(({ status }) => !['RETRYING', 'QUEUED'].includes(status));
  }, `${count} deliveries of webhook ${webhookId} are final`);
  return await deliveriesOf(api, webhookId);
}

/** A webhook's statistics. */
export async function statisticsOf(
  api: Api,
  webhookId: number,
): Promise<{
  statistics_valid_from_dt: string;
  success_count: number;
  last_success_dt: string | null;
  error_count: number;
  last_error_dt: string | null;
  last_error_message: string | null;
}> {
  const { status, body } = await api.get(`/webhooks/${webhookId}/statistics`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Waits until nothing waits in a webhook's line. */
export async function untilLineEmpty(api: Api, webhookId: number): Promise<void> {
  await until(
    async () => (await api.get(`/webhooks/${webhookId}/line`)).body.state === 'EMPTY',
    `the line of webhook ${webhookId} is empty`,
  );
}

/** A webhook's line, as the API shows it. */
export async function lineOf(api: Api, id: number) {
  return (await api.get(`/webhooks/${id}/line`)).body;
}

/** Makes the head of a line due at once. */
export async function retryHead(api: Api, id: number): Promise<void> {
  const { status, body } = await api.post(`/webhooks/${id}/line/retry`);
  assert.equal(status, 200, JSON.stringify(body));
}

/** Waits until the head of a line has failed, and returns the line. */
export async function untilRetrying(api: Api, id: number) {
  return await until(async () => {
    const line = await lineOf(api, id);
    return line.state === 'RETRYING' && line;
  }, 'the head waits for its next attempt');
}

/** Waits until the head has failed this many times and waits for its next attempt. */
export async function untilFailed(api: Api, id: number, attempts: number): Promise<void> {
  await until(async () => {
    const { state, head } = await lineOf(api, id);
    return state === 'RETRYING' && head.attempts === attempts;
  }, `the head of webhook ${id} failed ${attempts} times`);
}

/** A webhook with messages about accounts `a` and `b`, the first of which is in flight until `fail` is called. */
export async function inFlight({ signed = false } = {}) {
  await using stack = new AsyncDisposableStack();
  const { promise: held, resolve: hold } = Promise.withResolvers<TargetExchange>();
  const target = stack.use(await startTarget({ respondWith: hold }));
  const { api } = stack.use(await borrowTestService({ settings: LONG_RETRIES }));
  const id = await createWebhook(api, target.url);
  if (signed) assert.equal((await api.post(`/webhooks/${id}/signing-secret`)).status, 200);
  await createAccounts(api, 'a', 'b');
  const request = await held;
  const opened = stack.move();
  return {
    api,
    id,
    target,
    fail: () => answer(500)(request),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Moves a message of a paused webhook to the dead letters. For a moment, the worker leases the head, until it sees that the
 * webhook is paused. Then the call is rejected, and repeated.
 * @param path the call below the webhook: `line/skip`
 */
export async function skipOnceFree(api: Api, webhookId: number, path = 'line/skip') {
  return await until(async () => {
    const { status, body } = await api.post(`/webhooks/${webhookId}/${path}`);
    if (status !== 200) assert.equal(status, 409, JSON.stringify(body));
    return status === 200 ? body : undefined;
  }, 'the message is skipped');
}
