import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { charts } from '../texts/charts.ts';
import type { ChartSearch } from '../utilities/chart-search.ts';

/** Switches the charts of this page between charts and tables. The address contains the choice. */
export function ChartView({ table }: { table: ChartSearch['table'] | undefined }) {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label={charts.view}
      value={table === 'yes' ? 'table' : 'chart'}
      onChange={(view) =>
        void navigate({
          to: '.',
          search: ((current: object) => ({
            ...current,
            table: view === 'table' ? 'yes' : undefined,
          })) as never,
          replace: true,
          resetScroll: false,
        })
      }
      data={[
        { value: 'chart', label: charts.views.chart },
        { value: 'table', label: charts.views.table },
      ]}
    />
  );
}
