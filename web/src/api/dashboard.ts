import { queryOptions } from '@tanstack/react-query';
import type { Subtopic } from '../../../src/events/catalogue.ts';
import { withQuery } from './addresses.ts';
import type { PageOf } from './page-of.ts';
import { LIST_MS, LIVE_MS, polling } from './polling.ts';
import { request } from './request.ts';

export interface Minute {
  start_dt: string;
  event_count: number;
  success_count: number;
  failure_count: number;
}

/** A webhook with failed attempts within the last hour. */
export interface FailingWebhook {
  webhook_id: number;
  name: string;
  failure_count: number;
  in_error: boolean;
  last_error_dt: string | null;
  last_error_message: string | null;
}

/** A line whose first message failed and is retried. */
export interface BlockedLine {
  webhook_id: number;
  name: string;
  depth: number;
  message_id: string;
  subtopic: Subtopic;
  attempts: number;
  since_dt: string | null;
  last_error_message: string | null;
  /** Null while it is out or nothing is delivered. */
  next_attempt_dt: string | null;
}

/** What happens with webhooks now. */
export interface DeliveryNow {
  /** The last hour; the last one is this minute. */
  minutes: Minute[];
  waiting: number;
  in_flight: number;
  dead_letters: number;
  lines_blocked: number;
  /** Seconds since the event of the oldest waiting message. */
  oldest_age: number | null;
  failing_webhooks: FailingWebhook[];
  blocked_lines: BlockedLine[];
}

export interface Dashboard {
  now_dt: string;
  content: {
    accounts: number;
    courses: number;
    equivalents: number;
    bundles: number;
    registrations: number;
  };
  /** Null for those who may not read webhooks. */
  delivery: DeliveryNow | null;
}

export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => request<Dashboard>('GET', '/ui/api/dashboard', { signal }),
  ...polling(LIVE_MS),
});

/** A registration, as far as the dashboard tells of it. */
export interface LatestRegistration {
  registration_id: string;
  learner_id: string;
  account_name: string | null;
  course_id: number;
  course_name: string | null;
  completion: 'Completed' | 'Incomplete' | 'Unknown';
  success: 'PASS' | 'FAIL' | 'UNKNOWN';
  score: number | null;
  launched_dt: string | null;
  updated_dt: string;
}

const LATEST_SHOWN = 5;

/** The registrations that changed last. */
export const latestRegistrationsQuery = queryOptions({
  queryKey: ['registrations', 'latest'],
  queryFn: async ({ signal }) => {
    const query = { sort: 'updated', direction: 'desc', limit: LATEST_SHOWN };
    const address = withQuery('/ui/api/registrations', query);
    return (await request<PageOf<LatestRegistration>>('GET', address, { signal })).data;
  },
  ...polling(LIST_MS),
});

/** Whether any system can use the API yet. */
export const anyClientQuery = queryOptions({
  queryKey: ['clients', 'any'],
  queryFn: async ({ signal }) =>
    (await request<PageOf<unknown>>('GET', withQuery('/ui/api/clients', { limit: 1 }), { signal })).total > 0,
  ...polling(LIST_MS),
});
