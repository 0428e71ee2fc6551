import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Title, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { Trend } from '../../../api/webhook-records.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { formatCompact, formatNumber } from '../../../utilities/numbers.ts';
import { formatDuration } from '../../../utilities/times.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.trend;
const CHART_HEIGHT = '14rem';
const AXIS_WIDTH = 44;
/** Fits "120 ms" on one line. */
const LATENCY_AXIS_WIDTH = 64;
const MIN_TICK_GAP = 28;

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Contrast of at least 3 to 1 with the surface in both schemes. They also differ in lightness. */
const COLORS = {
  light: { good: '#2e9c77', bad: '#b42318', median: '#2450a8', slow: '#a86a12' },
  dark: { good: '#57b892', bad: '#ff8a7e', median: '#9dbaf3', slow: '#f1bd6b' },
} as const;

/** Two charts of the same period: the number of attempts and their latency. */
export function TrendCharts({ trend }: { trend: Trend }) {
  const colors = COLORS[useComputedColorScheme('light')];
  const { period, buckets } = trend;
  const attempts = buckets.map((bucket) => ({
    start: bucket.start_dt,
    successes: bucket.success_count,
    failures: bucket.failure_count,
  }));
  const latency = buckets.map((bucket) => ({
    start: bucket.start_dt,
    p50: bucket.latency_ms.p50,
    p95: bucket.latency_ms.p95,
  }));
  const successes = sum(attempts.map((each) => each.successes));
  const failures = sum(attempts.map((each) => each.failures));
  const anything = successes + failures > 0;
  const axis = (start: string) =>
    period === 'hour' || period === 'day' ? time.format(new Date(start)) : day.format(new Date(start));
  const label = (start: ReactNode) =>
    typeof start === 'string' && start !== ''
      ? (period === 'hour' ? time : dayAndTime).format(new Date(start))
      : '';
  const shared = {
    h: CHART_HEIGHT,
    dataKey: 'start',
    tickLine: 'none',
    gridAxis: 'x',
    xAxisProps: { tickFormatter: axis, minTickGap: MIN_TICK_GAP, interval: 'equidistantPreserveStart' },
    tooltipAnimationDuration: 0,
    withLegend: true,
    legendProps: { verticalAlign: 'bottom', height: 32 },
  } as const;
  return (
    <div className={styles.charts}>
      <Figure
        title={texts.attempts}
        summary={texts.attemptsSummary(
          formatNumber(successes),
          formatNumber(failures),
          texts.periods[period].toLowerCase(),
        )}
        anything={anything}
      >
        <BarChart
          {...shared}
          type="stacked"
          data={attempts}
          series={[
            { name: 'successes', label: texts.successes, color: colors.good },
            { name: 'failures', label: texts.failures, color: colors.bad },
          ]}
          valueFormatter={formatNumber}
          yAxisProps={{ width: AXIS_WIDTH, allowDecimals: false, tickFormatter: formatCompact }}
          tooltipProps={{ labelFormatter: label }}
          barChartProps={{ accessibilityLayer: false }}
          barProps={{ isAnimationActive: false }}
        />
      </Figure>
      <Figure
        title={texts.latency}
        summary={texts.latencySummary(
          longest(latency.map((each) => each.p50)),
          longest(latency.map((each) => each.p95)),
          texts.periods[period].toLowerCase(),
        )}
        anything={anything}
      >
        <LineChart
          {...shared}
          data={latency}
          series={[
            { name: 'p50', label: texts.p50, color: colors.median },
            { name: 'p95', label: texts.p95, color: colors.slow },
          ]}
          curveType="linear"
          connectNulls={false}
          withDots
          dotProps={{ r: 2 }}
          strokeWidth={1.5}
          valueFormatter={formatDuration}
          yAxisProps={{ width: LATENCY_AXIS_WIDTH, tickFormatter: formatDuration }}
          tooltipProps={{ labelFormatter: label }}
          lineChartProps={{ accessibilityLayer: false }}
          lineProps={{ isAnimationActive: false }}
        />
      </Figure>
    </div>
  );
}

/** For screen readers, a chart is an image with a summary in words. The table has all figures. */
function Figure({
  title,
  summary,
  anything,
  children,
}: {
  title: string;
  summary: string;
  anything: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id} className={styles.chartTitle}>
        {title}
      </Title>
      {anything ? (
        <div role="img" aria-label={summary} className={styles.chart}>
          {children}
        </div>
      ) : (
        <div className={styles.nothing}>{texts.nothing}</div>
      )}
    </section>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function longest(values: readonly (number | null)[]): string {
  return formatDuration(Math.max(0, ...values.filter((value) => value !== null)));
}
