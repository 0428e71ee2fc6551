import { BatchStatement } from '../../database/batch-statement.ts';
import type { Transaction } from '../../database/database.ts';

/** Increments of a webhook's statistics by a batch of attempts. Members are the columns of the statement. */
export type StatisticsChange = {
  webhook_id: number;
  successes: number;
  success_at: number | null;
  errors: number;
  error_at: number | null;
  error: string | null;
  /** 1 if the latest attempt failed. */
  in_error: 0 | 1;
  /** Failures after the last success of the batch. */
  run_errors: number;
  /** When the first of these ended. */
  run_since: number | null;
};

/** Whether a batch continues the recorded failures: neither a success nor an edit came in between. */
function continuesRun(successes: string): string {
  return `${successes} = 0 and webhook_statistics.in_error = 1`;
}

/**
 * The time of the last attempt. An attempt that ended before a reset and is recorded after it counts in the new period.
 * So its time is not before the start of the period.
 */
function withinPeriodSql(endedAt: string, column: 'last_success_at' | 'last_error_at'): string {
  return `case when ${endedAt} is null then webhook_statistics.${column}
         when ${endedAt} < webhook_statistics.valid_from then webhook_statistics.valid_from else ${endedAt} end`;
}

const ADD = new BatchStatement(
  'change',
  {
    webhook_id: 'bigint',
    successes: 'bigint',
    success_at: 'bigint',
    errors: 'bigint',
    error_at: 'bigint',
    error: 'text',
    in_error: 'bigint',
    run_errors: 'bigint',
    run_since: 'bigint',
  },
  (change, { from }) =>
    `update webhook_statistics set
       success_count = webhook_statistics.success_count + ${change.successes},
       last_success_at = ${withinPeriodSql(change.success_at, 'last_success_at')},
       error_count = webhook_statistics.error_count + ${change.errors},
       last_error_at = ${withinPeriodSql(change.error_at, 'last_error_at')},
       last_error_message = coalesce(${change.error}, webhook_statistics.last_error_message),
       in_error = ${change.in_error},
       failures_in_row = ${change.run_errors} + case when ${continuesRun(change.successes)}
         then webhook_statistics.failures_in_row else 0 end,
       failing_since = case when ${continuesRun(change.successes)}
         then coalesce(webhook_statistics.failing_since, ${change.run_since}) else ${change.run_since} end
     ${from} where webhook_statistics.webhook_id = ${change.webhook_id}`,
);

/**
 * SQL of PostgreSQL that counts a success for each webhook of a relation.
 * @param settled names a relation with the columns `line_id`, the webhook's id, and `updated_at`, when the attempt ended
 */
export function addSuccessesSql(settled: string): string {
  return `update webhook_statistics set success_count = webhook_statistics.success_count + 1,
      last_success_at = ${withinPeriodSql(`${settled}.updated_at`, 'last_success_at')},
      in_error = 0, failures_in_row = 0, failing_since = null
    from ${settled} where webhook_statistics.webhook_id = ${settled}.line_id`;
}

/** Adds to the statistics of webhooks. Each webhook appears once. */
export async function addToStatistics(tx: Transaction, changes: readonly StatisticsChange[]): Promise<void> {
  await ADD.run(tx, changes);
}
