import { queryOptions } from '@tanstack/react-query';
import type { FiringRecord as AlertFiring } from '../../../src/alerts/firings/firing-schemas.ts';
import type {
  AlertRecord as Alert,
  AlertInput,
  NoticeRecord as AlertNotice,
} from '../../../src/alerts/rules/alert-schemas.ts';
import { MINUTE_MS } from '../../../src/time/units.ts';
import { withQuery } from './addresses.ts';
import { LIVE_MS, polling } from './polling.ts';
import { type CursorPage, forEditQuery, pageQuery, recordQuery } from './queries.ts';
import { type Read, readRecord, request } from './request.ts';

export type { Alert, AlertFiring, AlertNotice };

/** A configuration without its read-only members. */
export type AlertConfiguration = Pick<
  AlertInput,
  'name' | 'enabled' | 'condition' | 'minutes' | 'webhook_ids' | 'email_to' | 'target' | 'quiet_hours'
>;

/** The result of a test over one channel. */
export interface AlertTestResult {
  channel: 'EMAIL' | 'URL';
  sent: boolean;
  error: string | null;
  duration_ms: number;
}

/** The largest page. An installation has fewer rules. */
const PAGE_SIZE = 200;
const ALERT_LIST_MS = 4_000;
/** Longer than the deadlines of SMTP (90 s) and of the URL (15 s). */
const TEST_DEADLINE_MS = 2 * MINUTE_MS;

/** All queries about alerts, which are repeated after a change. */
export const alertsKey = ['alerts'] as const;

export const alertListQuery = queryOptions({
  queryKey: [...alertsKey, 'list'],
  queryFn: async ({ signal }) =>
    (await request<{ data: Alert[] }>('GET', withQuery('/alerts', { limit: PAGE_SIZE }), { signal })).data,
  ...polling(ALERT_LIST_MS),
});

export const alertQuery = (id: number) =>
  recordQuery<Alert>([...alertsKey, id, 'record'], `/alerts/${id}`, LIVE_MS);

/** What an edit starts from. */
export const alertForEditQuery = (id: number) =>
  forEditQuery<Alert>([...alertsKey, id, 'edit'], `/alerts/${id}`);

/** The newest firings of a rule, or of all. */
export const firingsQuery = (query: { alert_id?: number; limit: number }) =>
  pageQuery<CursorPage<AlertFiring>>(
    [...alertsKey, 'firings', query],
    withQuery('/alert-firings', query),
    ALERT_LIST_MS,
  );

/** A page of the firings of a rule, after a cursor. */
export function readFirings(
  alertId: number,
  cursor: string | null,
  limit: number,
): Promise<CursorPage<AlertFiring>> {
  return request('GET', withQuery('/alert-firings', { alert_id: alertId, limit, cursor }));
}

export function createAlert(body: AlertConfiguration, idempotencyKey: string): Promise<Alert> {
  return request('POST', '/alerts', { body, idempotencyKey });
}

export function updateAlert({ record: { id }, etag }: Read<Alert>, body: AlertConfiguration): Promise<Alert> {
  return request('PUT', `/alerts/${id}`, { body, ifMatch: etag });
}

/** Reads the rule and writes it back with only this change. All other members are kept, including the URL. */
export async function switchAlert(id: number, enabled: boolean): Promise<Alert> {
  const read = await readRecord<Alert>(`/alerts/${id}`);
  return await updateAlert(read, { ...read.record, enabled });
}

export function deleteAlert(id: number): Promise<void> {
  return request('DELETE', `/alerts/${id}`);
}

export async function testAlert(id: number): Promise<AlertTestResult[]> {
  const { results } = await request<{ results: AlertTestResult[] }>('POST', `/alerts/${id}/test`, {
    deadlineMs: TEST_DEADLINE_MS,
  });
  return results;
}
