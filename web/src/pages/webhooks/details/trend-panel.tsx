import { SegmentedControl, Skeleton, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TREND_PERIODS, type Trend } from '../../../api/webhook-records.ts';
import { trendQuery } from '../../../api/webhooks.ts';
import { type ChartFigures, ChartTable } from '../../../components/chart-table.tsx';
import { ChartView } from '../../../components/chart-view.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Unread } from '../../../components/unread.tsx';
import { pageCode } from '../../../navigation/page-code.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { formatDuration } from '../../../utilities/times.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.trend;
const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');

const FIGURES: readonly ChartFigures<Trend['buckets'][number]>[] = [
  { id: 'successes', label: texts.successes, cell: (bucket) => formatNumber(bucket.success_count) },
  { id: 'failures', label: texts.failures, cell: (bucket) => formatNumber(bucket.failure_count) },
  { id: 'p50', label: texts.p50, cell: (bucket) => latency(bucket.latency_ms.p50) },
  { id: 'p95', label: texts.p95, cell: (bucket) => latency(bucket.latency_ms.p95) },
  { id: 'max', label: texts.max, cell: (bucket) => latency(bucket.latency_ms.max) },
];

/** Charts are the heaviest part of the UI: they are loaded when one is shown. A failure concerns only their panel. */
const chartsQuery = queryOptions({
  queryKey: ['code', 'trend-charts'],
  queryFn: pageCode(() => import('./trend-charts.tsx')),
  staleTime: 'static',
  gcTime: Number.POSITIVE_INFINITY,
});

/** Successes, failures and latency over time, as charts or as a table. */
export function TrendPanel({ webhookId }: { webhookId: number }) {
  const { period = 'day', table } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(trendQuery(webhookId, period));
  return (
    <Panel
      title={texts.title}
      actions={
        <div className={styles.controls}>
          <SegmentedControl
            size="xs"
            aria-label={texts.period}
            value={period}
            onChange={(value) =>
              void navigate({
                search: (current) => ({ ...current, period: value }),
                replace: true,
                resetScroll: false,
              })
            }
            data={TREND_PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
          />
          <ChartView table={table} />
        </div>
      }
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : table === 'yes' ? (
        data !== undefined && <TrendTable trend={data} />
      ) : data === undefined ? (
        <Placeholder />
      ) : (
        <Charts trend={data} />
      )}
    </Panel>
  );
}

function Charts({ trend }: { trend: Trend }) {
  const code = useQuery(chartsQuery);
  if (code.data !== undefined) return <code.data.TrendCharts trend={trend} />;
  return <Unread query={code} placeholder={<Placeholder />} />;
}

function Placeholder() {
  return (
    <div className={styles.charts} aria-busy="true">
      {[texts.attempts, texts.latency].map((title) => (
        <div key={title}>
          <Title order={3} className={styles.chartTitle}>
            {title}
          </Title>
          <Skeleton className={styles.chart} />
        </div>
      ))}
    </div>
  );
}

function TrendTable({ trend }: { trend: Trend }) {
  const rows = trend.buckets.filter(({ success_count, failure_count }) => success_count + failure_count > 0);
  if (rows.length === 0) return <div className={styles.nothing}>{texts.nothing}</div>;
  return <ChartTable title={texts.title} note={texts.onlyWithAttempts} rows={rows} figures={FIGURES} />;
}

function latency(ms: number | null): string {
  return ms === null ? '–' : formatDuration(ms);
}
