import { VisuallyHidden } from '@mantine/core';
import { charts } from '../texts/charts.ts';
import { formatDateTime, zoneName } from '../utilities/times.ts';
import styles from './chart-table.module.css';
import { ScrollBox } from './scroll-box.tsx';

/** A column of figures. */
export interface ChartFigures<T> {
  id: string;
  label: string;
  cell: (row: T) => string;
}

/**
 * The data of a chart as a table, latest first. If the clocks change between them, each row names its time zone.
 * @param rows in chronological order
 */
export function ChartTable<T extends { start_dt: string }>({
  title,
  note,
  rows,
  figures,
}: {
  /** The title of the chart. */
  title: string;
  /** For example, what is omitted. */
  note: string;
  rows: readonly T[];
  figures: readonly ChartFigures<T>[];
}) {
  const zones = new Set(rows.map(({ start_dt }) => zoneName(new Date(start_dt))));
  const [zone] = zones;
  return (
    <>
      <p className={styles.note}>
        {note} {zones.size === 1 && zone !== undefined && charts.timesIn(zone)}
      </p>
      <ScrollBox label={charts.inFigures(title)} className={styles.box}>
        <table className={styles.table}>
          <VisuallyHidden component="caption">{title}</VisuallyHidden>
          <thead>
            <tr>
              <th scope="col">{charts.from}</th>
              {figures.map(({ id, label }) => (
                <th key={id} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map((row) => (
              <tr key={row.start_dt}>
                <th scope="row">
                  <time dateTime={row.start_dt}>
                    {formatDateTime(new Date(row.start_dt))}
                    {zones.size > 1 && ` ${zoneName(new Date(row.start_dt))}`}
                  </time>
                </th>
                {figures.map(({ id, cell }) => (
                  <td key={id}>{cell(row)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}
