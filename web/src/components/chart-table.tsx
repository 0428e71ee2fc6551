import { Table } from '@mantine/core';
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
 * What a chart shows, in figures. Latest first, so that what is happening now stands at the top.
 * @param rows in the order of time
 */
export function ChartTable<T extends { start_dt: string }>({
  title,
  note,
  rows,
  figures,
}: {
  /** Of the chart. */
  title: string;
  /** Such as what is left out. */
  note: string;
  rows: readonly T[];
  figures: readonly ChartFigures<T>[];
}) {
  const latest = rows.at(-1);
  return (
    <ScrollBox label={charts.inFigures(title)} className={styles.box}>
      <Table>
        <Table.Caption>
          {note} {latest !== undefined && charts.timesIn(zoneName(new Date(latest.start_dt)))}
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{charts.from}</Table.Th>
            {figures.map((column) => (
              <Table.Th key={column.id} scope="col" ta="right">
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.toReversed().map((row) => (
            <Table.Tr key={row.start_dt}>
              <Table.Th scope="row" className={styles.start}>
                <time dateTime={row.start_dt}>{formatDateTime(new Date(row.start_dt))}</time>
              </Table.Th>
              {figures.map(({ id, cell }) => (
                <Table.Td key={id} ta="right">
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}
