import type { Page } from 'playwright-core';
import { MINUTE_MS } from '../../src/time/units.ts';
import type { Scene } from './scene.ts';

const ALERTS = '/administration/alerts';
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const SENT = {
  kind: 'BEGAN',
  channel: 'EMAIL',
  state: 'SENT',
  attempts: 1,
  created_dt: ago(44),
  sent_dt: ago(44),
  next_attempt_dt: null,
  error: null,
};
const RETRIED = {
  ...SENT,
  channel: 'URL',
  state: 'WAITING',
  attempts: 6,
  sent_dt: null,
  next_attempt_dt: new Date(Date.now() + 4 * MINUTE_MS).toISOString(),
  error: '404 Not Found: no_service',
};
const RULE = {
  enabled: true,
  minutes: 15,
  webhook_ids: null,
  email_to: ['oncall@northwind.example', 'crm-team@northwind.example'],
  target: null,
  quiet_hours: null,
  quiet_now: false,
  firing: 0,
  last_notices: [],
  created_dt: ago(90_000),
  updated_dt: ago(8_000),
};
const FAILING = {
  ...RULE,
  id: 1,
  name: 'Webhooks in error',
  condition: 'WEBHOOK_IN_ERROR',
  firing: 2,
  target: { format: 'SLACK', origin: 'https://hooks.slack.com' },
  quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' },
  last_notices: [SENT, RETRIED],
};
const RULES = [
  FAILING,
  {
    ...RULE,
    id: 2,
    name: 'CRM falls behind',
    condition: 'LINE_TOO_OLD',
    minutes: 60,
    webhook_ids: [3],
    quiet_hours: FAILING.quiet_hours,
    quiet_now: true,
  },
  {
    ...RULE,
    id: 3,
    name: 'Dead letters',
    condition: 'MESSAGE_DEAD_LETTERED',
    minutes: null,
    enabled: false,
    target: { format: 'TEAMS', origin: 'https://northwind.webhook.office.com' },
    email_to: [],
    last_notices: [{ ...SENT, kind: 'ENDED', channel: 'URL' }],
  },
  { ...RULE, id: 4, name: 'Queue, disk and database', condition: 'SERVICE_IN_TROUBLE', minutes: 1 },
];
const FIRING = {
  id: 9,
  alert_id: 1,
  alert_name: FAILING.name,
  condition: FAILING.condition,
  state: 'FIRING',
  name: 'CRM: results of learners',
  webhook_id: 3,
  since_dt: ago(59),
  began_dt: ago(44),
  cleared_dt: null,
  ended_dt: null,
  end_reason: null,
  relapses: 2,
  reason: '403 Forbidden',
  explanation: 'API key crm was revoked',
  failures: 12,
  waiting: 994,
  notices: [SENT, RETRIED],
};
const FIRINGS = [
  FIRING,
  {
    ...FIRING,
    id: 8,
    name: 'Payroll',
    reason: 'connection refused',
    explanation: null,
    cleared_dt: ago(2),
    relapses: 0,
  },
  {
    ...FIRING,
    id: 7,
    name: 'Reports',
    state: 'ENDED',
    since_dt: ago(3_000),
    ended_dt: ago(2_900),
    end_reason: 'RESOLVED',
    relapses: 0,
    notices: [SENT, { ...SENT, kind: 'ENDED' }],
  },
  {
    ...FIRING,
    id: 6,
    name: 'Old CRM',
    state: 'ENDED',
    ended_dt: ago(9_000),
    end_reason: 'PAUSED',
    notices: [],
  },
];

/** Responds with these rules and firings. */
async function show(page: Page, rules: readonly object[], firings: readonly object[] = []): Promise<void> {
  const list = (data: readonly object[]) => ({ json: { data, next_cursor: null } });
  await page.route('**/alert-firings?*', (route) => route.fulfill(list(firings)));
  await page.route('**/alerts?limit=*', (route) => route.fulfill(list(rules)));
  await page.route('**/alerts/1', (route) =>
    route.request().isNavigationRequest() ? route.continue() : route.fulfill({ json: FAILING }),
  );
  await page.reload({ waitUntil: 'networkidle' });
}

/** Alert rules and their notifications. */
export const ALERT_SCENES: readonly Scene[] = [
  { name: 'alerts-empty', address: ALERTS, act: (page) => show(page, []) },
  { name: 'alerts', address: ALERTS, act: (page) => show(page, RULES) },
  {
    name: 'alerts-failing',
    address: ALERTS,
    act: async (page) => {
      await page.route('**/alerts?limit=*', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
  { name: 'alert-firing', address: `${ALERTS}/1`, act: (page) => show(page, RULES, FIRINGS) },
  {
    name: 'alert-test',
    address: `${ALERTS}/1`,
    act: async (page) => {
      const results = [
        { channel: 'EMAIL', sent: true, error: null, duration_ms: 212 },
        { channel: 'URL', sent: false, error: '404 Not Found: no_service', duration_ms: 87 },
      ];
      await page.route('**/alerts/1/test', (route) => route.fulfill({ json: { results } }));
      await show(page, RULES);
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByText('URL: not sent').waitFor();
    },
  },
  {
    name: 'alert-create',
    address: `${ALERTS}/new`,
    act: async (page) => {
      await page.getByRole('switch', { name: 'Quiet hours' }).check({ force: true });
      await page.getByRole('button', { name: 'Create alert' }).click();
    },
  },
];
