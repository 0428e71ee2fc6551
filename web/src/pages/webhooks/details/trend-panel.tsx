import { SegmentedControl, Skeleton, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { TREND_PERIODS, type Trend, type TrendPeriod } from '../../../api/webhook-records.ts';
import { trendQuery } from '../../../api/webhooks.ts';
import { ErrorState } from '../../../components/error-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { formatDuration } from '../../../utilities/times.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.trend;
const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');

/** Charts are the heaviest part of the UI: they are loaded when one is shown. */
const Charts = lazy(async () => ({ default: (await import('./trend-charts.tsx')).TrendCharts }));

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
                search: (present) => ({ ...present, period: value as TrendPeriod }),
                replace: true,
                resetScroll: false,
              })
            }
            data={TREND_PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
          />
          <SegmentedControl
            size="xs"
            aria-label={texts.view}
            value={table === 'yes' ? 'table' : 'chart'}
            onChange={(value) =>
              void navigate({
                search: ({ table: _view, ...others }) =>
                  value === 'table' ? { ...others, table: 'yes' as const } : others,
                replace: true,
                resetScroll: false,
              })
            }
            data={[
              { value: 'chart', label: texts.asChart },
              { value: 'table', label: texts.asTable },
            ]}
          />
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
        <Suspense fallback={<Placeholder />}>
          <Charts trend={data} />
        </Suspense>
      )}
    </Panel>
  );
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

/** Latest first, so that what is happening now stands at the top. */
function TrendTable({ trend }: { trend: Trend }) {
  const rows = trend.buckets
    .filter(({ success_count, failure_count }) => success_count + failure_count > 0)
    .toReversed();
  if (rows.length === 0) return <div className={styles.nothing}>{texts.nothing}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={styles.tableBox} tabIndex={0} aria-label={texts.title}>
      <Table>
        <Table.Caption>{texts.onlyWithAttempts}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.from}</Table.Th>
            <Table.Th ta="right">{texts.successes}</Table.Th>
            <Table.Th ta="right">{texts.failures}</Table.Th>
            <Table.Th ta="right">{texts.p50}</Table.Th>
            <Table.Th ta="right">{texts.p95}</Table.Th>
            <Table.Th ta="right">{texts.max}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((bucket) => (
            <Table.Tr key={bucket.start_dt}>
              <Table.Td>
                <Time value={bucket.start_dt} format="absolute" />
              </Table.Td>
              <Table.Td ta="right">{formatNumber(bucket.success_count)}</Table.Td>
              <Table.Td ta="right">{formatNumber(bucket.failure_count)}</Table.Td>
              {([bucket.latency_ms.p50, bucket.latency_ms.p95, bucket.latency_ms.max] as const).map(
                (latency, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: these three always stand in this order.
                  <Table.Td key={index} ta="right">
                    {latency === null ? '–' : formatDuration(latency)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
