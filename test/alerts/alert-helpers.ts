import assert from 'node:assert/strict';
import type { Settings } from '../../src/settings/settings-table.ts';
import { createAccounts, createWebhook } from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { type Api, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/**
 * Rules are evaluated at once, heads are retried only on request, and tokens stay valid although the clock advances by
 * days.
 */
const SETTINGS: Partial<Settings> = {
  alert_check_interval: 0.05,
  retry_initial_delay: 7_200,
  retry_max_delay: 7_200,
  access_token_lifetime: 10 * 86_400,
};

/** The members in which a rule about the service differs from {@link alertInput}. */
export const SERVICE_ALERT = { name: 'Service', condition: 'SERVICE_IN_TROUBLE', minutes: 2 };

/** A service whose clock advances only when the test says so. */
export interface AlertService extends AsyncDisposable {
  service: TestService;
  api: Api;
  clock: ManualClock;
}

export async function startAlertService(
  settings: Partial<Settings> = {},
  clock = new ManualClock(),
  dataDir?: string,
): Promise<AlertService> {
  const service = await startTestService({
    settings: { ...SETTINGS, ...settings },
    now: clock.now,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  return { service, api: service.api, clock, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Creates a rule and returns its id. `changes` override the defaults. */
export async function createAlert(
  api: Api,
  url: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const { id } = await api.create('/alerts', alertInput(url, changes));
  return id;
}

/** A rule about webhooks in error for more than five minutes. */
export function alertInput(url: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Failing webhooks',
    condition: 'WEBHOOK_IN_ERROR',
    ...(changes.condition === undefined ? { minutes: 5 } : {}),
    target: { format: 'JSON', url },
    ...changes,
  };
}

/** Creates a webhook whose first message fails. Returns its id. */
export async function createFailingWebhook(
  api: Api,
  targetUrl: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const id = await createWebhook(api, targetUrl, changes);
  await createAccounts(api, `event for ${id}`);
  await untilInError(api, id, true);
  return id;
}

export async function untilInError(api: Api, id: number, inError: boolean): Promise<void> {
  await until(
    async () => (await api.get(`/webhooks/${id}`)).body.in_error === inError,
    `webhook ${id} is ${inError ? '' : 'not '}in error`,
  );
}

/** The firings of a rule, newest first. */
// biome-ignore lint/suspicious/noExplicitAny: records of every shape.
export async function firingsOf(api: Api, alertId: number): Promise<any[]> {
  const { status, body } = await api.get(`/alert-firings?alert_id=${alertId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Waits until the newest firing of a rule is as wanted, and returns it. */
export async function untilFiring(
  api: Api,
  alertId: number,
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  isWanted: (firing: any) => boolean,
  what: string,
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
): Promise<any> {
  return await until(async () => {
    const [firing] = await firingsOf(api, alertId);
    return firing !== undefined && isWanted(firing) && firing;
  }, what);
}

/**
 * Waits until all rules have been evaluated at least once more. It creates a rule that fires at once. Rules are
 * evaluated in the order of their ids, so all others were evaluated before it.
 */
export async function evaluated(api: Api, certain: { webhookId: number; url: string }): Promise<void> {
  const id = await createAlert(api, certain.url, {
    name: 'Certain',
    condition: 'LINE_TOO_OLD',
    minutes: 1,
    webhook_ids: [certain.webhookId],
  });
  await untilFiring(api, id, ({ state }) => state === 'FIRING', 'the rules were evaluated');
  await api.delete(`/alerts/${id}`);
}

/** A service with a webhook that has just been failing for five minutes. */
export async function startWithTrouble(
  target: Target,
  settings: Parameters<typeof startAlertService>[0],
  name = 'CRM',
): Promise<AlertService> {
  const alerts = await startAlertService(settings);
  await createFailingWebhook(alerts.api, target.url, { name });
  alerts.clock.pass(5 * MINUTE);
  return alerts;
}

/** Waits until the only notice of a rule is as wanted, and returns it. */
export async function untilNotice(
  { api }: AlertService,
  alert: number,
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  isWanted: (notice: any) => boolean,
  what: string,
) {
  const firing = await untilFiring(
    api,
    alert,
    ({ notices }) => notices.length === 1 && isWanted(notices[0]),
    what,
  );
  return firing.notices[0];
}

/** The response of a target whose client has lost its access. */
export const revoked = answer(403, {
  headers: { 'content-type': 'application/json' },
  body: '{"message":"API key crm was revoked"}',
});

/** An alert that fires about a failing webhook. Its receiver has the notice. */
export async function startFiring() {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await startTarget({ respondWith: revoked }));
  const receiver = stack.use(await startTarget());
  const { api, clock } = stack.use(await startAlertService());
  const webhook = await createFailingWebhook(api, target.url);
  const alert = await createAlert(api, receiver.url);
  clock.pass(5 * MINUTE);
  await receiver.waitFor(1);
  const parts = stack.move();
  return {
    api,
    clock,
    target,
    receiver,
    /** The id of the webhook. */
    webhook,
    /** The id of the alert rule. */
    alert,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
