import assert from 'node:assert/strict';
import type { Arrival, LineLog, ServiceLog, Span } from './log.ts';

/** A webhook's statistics as the API returns them. */
export interface Statistics {
  statistics_valid_from_dt: string;
  success_count: number;
  last_success_dt: string | null;
  error_count: number;
  last_error_dt: string | null;
  last_error_message: string | null;
}

/** Where targets redirect with 301. */
export const ELSEWHERE = '/elsewhere';

const STATUS_TEXTS: Record<number, string> = {
  301: '301 Moved Permanently',
  403: '403 Forbidden',
  404: '404 Not Found',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** Statuses with which targets reject attempts. */
export const FAILURES: readonly number[] = Object.keys(STATUS_TEXTS).map(Number);

/** Compares the statistics and error state of a webhook without waiting messages with what its target saw. */
export function assertStatistics(
  log: LineLog,
  service: ServiceLog,
  { statistics, inError, targetOrigin }: { statistics: Statistics; inError: boolean; targetOrigin: string },
): void {
  const what = `webhook ${log.webhookId}: ${JSON.stringify(statistics)}`;
  const attempts = log.arrivals
    .map((arrival, index) => ({ arrival, ...certaintyOf(log, service, arrival, log.arrivals[index + 1]) }))
    .filter(({ happened }) => happened !== 'no');
  const reset = log.resets.at(-1) ?? { start: 0, end: 0 };
  const inPeriod = attempts.map((each) => ({ ...each, counted: countedAfter(reset, each) }));
  const successes = inPeriod.filter(({ arrival }) => isSuccess(arrival));
  const failures = inPeriod.filter(({ arrival }) => !isSuccess(arrival));
  for (const [count, of] of [
    [statistics.success_count, successes],
    [statistics.error_count, failures],
  ] as const) {
    const least = of.filter(({ counted }) => counted === 'yes').length;
    const most = of.filter(({ counted }) => counted !== 'no').length;
    assert.ok(count >= least && count <= most, `${what}: ${count} is not from ${least} to ${most}`);
  }
  assert.equal(statistics.last_success_dt !== null, statistics.success_count > 0, what);
  assert.equal(statistics.last_error_dt !== null, statistics.error_count > 0, what);
  for (const last of [statistics.last_success_dt, statistics.last_error_dt])
    assert.ok(last === null || last >= statistics.statistics_valid_from_dt, what);
  const lastFailure = failures.at(-1);
  if (lastFailure?.counted === 'yes') {
    const url = targetOrigin + lastFailure.arrival.path;
    const { status } = lastFailure.arrival;
    const led = status === 301 ? ` to ${targetOrigin}${ELSEWHERE}, not followed` : '';
    const reason = `${STATUS_TEXTS[status]}${led}`;
    const message = `Request to postback URL '${url}' failed for reason: ${reason}`;
    assert.equal(statistics.last_error_message, message, what);
  }
  assertInError(log, attempts.at(-1), inError);
}

interface Attempt {
  arrival: Arrival;
  /** Whether the service recorded the outcome. */
  happened: 'yes' | 'maybe' | 'no';
  /** By when it had recorded the outcome. */
  notedBy: number;
}

function certaintyOf(
  { emptyAt }: LineLog,
  { kills }: ServiceLog,
  arrival: Arrival,
  next: Arrival | undefined,
): Pick<Attempt, 'happened' | 'notedBy'> {
  const empty = emptyAt.find((each) => each > arrival.at) ?? Number.POSITIVE_INFINITY;
  const notedBy = Math.min(next?.at ?? Number.POSITIVE_INFINITY, empty);
  if (arrival.answeredAt === null) return { happened: 'no', notedBy };
  // A message recorded as delivered is not sent again, others are.
  if (isSuccess(arrival)) return { happened: next?.messageId === arrival.messageId ? 'no' : 'yes', notedBy };
  const mayBeLost = kills.some(({ start, end }) => end > arrival.at && start < notedBy);
  return { happened: mayBeLost ? 'maybe' : 'yes', notedBy };
}

function countedAfter(reset: Span, { arrival, happened, notedBy }: Attempt): 'yes' | 'maybe' | 'no' {
  if (notedBy < reset.start) return 'no';
  return happened === 'yes' && arrival.answeredAt! > reset.end ? 'yes' : 'maybe';
}

function isSuccess({ status, answeredAt }: Arrival): boolean {
  return answeredAt !== null && status < 300;
}

/** Asserts that a webhook is in error from a failure until a success or an edit. */
function assertInError(
  { webhookId, configurations }: LineLog,
  last: Attempt | undefined,
  inError: boolean,
): void {
  const failed = last !== undefined && !isSuccess(last.arrival);
  const edit = configurations.length > 1 ? configurations.at(-1)! : null;
  const what = `webhook ${webhookId}: in_error`;
  if (!failed || (edit !== null && last.notedBy < edit.start)) assert.equal(inError, false, what);
  else if (last.happened === 'yes' && (edit === null || last.arrival.answeredAt! > edit.since))
    assert.equal(inError, true, what);
}
