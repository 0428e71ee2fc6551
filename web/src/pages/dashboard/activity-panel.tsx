import { Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { Minute } from '../../api/dashboard.ts';
import { type ChartFigures, ChartTable } from '../../components/chart-table.tsx';
import { ChartView } from '../../components/chart-view.tsx';
import { Panel } from '../../components/panel.tsx';
import { dashboard } from '../../texts/dashboard.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import styles from './dashboard.module.css';
import { type BarPart, highestOf, MinuteBars } from './minute-bars.tsx';

const texts = dashboard.activity;
const route = getRouteApi('/app/');
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

const FIGURES: readonly ChartFigures<Minute>[] = [
  { id: 'events', label: texts.columns.events, cell: (minute) => formatNumber(minute.event_count) },
  { id: 'succeeded', label: texts.columns.succeeded, cell: (minute) => formatNumber(minute.success_count) },
  { id: 'failed', label: texts.columns.failed, cell: (minute) => formatNumber(minute.failure_count) },
];

const EVENTS: readonly BarPart[] = [{ value: ({ event_count }) => event_count, tone: 'info' }];
const DELIVERIES: readonly BarPart[] = [
  { value: ({ success_count }) => success_count, tone: 'good' },
  { value: ({ failure_count }) => failure_count, tone: 'bad' },
];

/** Events and delivery attempts of the last hour per minute, as charts or as a table. */
export function ActivityPanel({ minutes }: { minutes: readonly Minute[] }) {
  const { table } = route.useSearch();
  return (
    <Panel title={texts.title} description={texts.description} actions={<ChartView table={table} />}>
      {table === 'yes' ? <ActivityTable minutes={minutes} /> : <ActivityCharts minutes={minutes} />}
    </Panel>
  );
}

function ActivityTable({ minutes }: { minutes: readonly Minute[] }) {
  const rows = minutes.filter(
    ({ event_count, success_count, failure_count }) => event_count + success_count + failure_count > 0,
  );
  if (rows.length === 0) return <p className={styles.none}>{texts.nothing}</p>;
  return <ChartTable title={texts.title} note={texts.onlyWithAnything} rows={rows} figures={FIGURES} />;
}

function ActivityCharts({ minutes }: { minutes: readonly Minute[] }) {
  const events = sum(minutes, ({ event_count }) => event_count);
  const most = formatNumber(highestOf(minutes, EVENTS));
  const succeeded = sum(minutes, ({ success_count }) => success_count);
  const failed = sum(minutes, ({ failure_count }) => failure_count);
  return (
    <div className={styles.charts}>
      <Chart
        title={texts.events}
        minutes={minutes}
        parts={EVENTS}
        summary={texts.eventsSummary(formatNumber(events), most)}
        figures={(minute) => (
          <span className={styles.key} data-tone="info">
            <b>{formatNumber(minute?.event_count ?? events)}</b> {texts.triggered}
          </span>
        )}
      />
      <Chart
        title={texts.deliveries}
        minutes={minutes}
        parts={DELIVERIES}
        summary={texts.deliveriesSummary(formatNumber(succeeded), formatNumber(failed))}
        figures={(minute) => (
          <>
            <span className={styles.key} data-tone="good">
              <b>{formatNumber(minute?.success_count ?? succeeded)}</b> {texts.succeeded}
            </span>
            <span className={styles.key} data-tone="bad">
              <b>{formatNumber(minute?.failure_count ?? failed)}</b> {texts.failed}
            </span>
          </>
        )}
      />
    </div>
  );
}

function Chart({
  title,
  minutes,
  parts,
  summary,
  figures,
}: {
  title: string;
  minutes: readonly Minute[];
  parts: readonly BarPart[];
  summary: string;
  /** The numbers of one minute, or of the hour. */
  figures: (minute?: Minute) => ReactNode;
}) {
  const id = useId();
  const [pointed, setPointed] = useState<string | null>(null);
  const most = highestOf(minutes, parts);
  // Identified by its start, because the hour moves on while a minute is hovered.
  const minute = minutes.find(({ start_dt }) => start_dt === pointed);
  return (
    <section aria-labelledby={id}>
      <div className={styles.chartHead}>
        <Title order={3} id={id}>
          {title}
        </Title>
        <div className={styles.figures}>{figures(minute)}</div>
      </div>
      <MinuteBars
        minutes={minutes}
        parts={parts}
        summary={summary}
        pointed={minute}
        onPoint={(at) => setPointed(at?.start_dt ?? null)}
      />
      <div className={styles.axis}>
        <span>{texts.hourAgo}</span>
        <span>
          {minute !== undefined
            ? texts.at(time.format(new Date(minute.start_dt)))
            : most > 0 && texts.most(formatNumber(most))}
        </span>
        <span>{texts.now}</span>
      </div>
    </section>
  );
}

function sum(minutes: readonly Minute[], value: (minute: Minute) => number): number {
  return minutes.reduce((total, minute) => total + value(minute), 0);
}
