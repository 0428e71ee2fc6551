import { Anchor, Select, Skeleton, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '../utilities/table-search.ts';
import styles from './data-table.module.css';
import { ListPages } from './list-pages.tsx';
import type { FurtherSearch } from './search-further.tsx';
import type { TableState } from './use-table.ts';

const words = shared.table;
const SMALLEST_PAGE = PAGE_SIZES[0];

/** The range of rows, the total, and the other pages. */
export function TableFooter({
  table,
  page,
  further,
  actions,
}: {
  table: TableState;
  page: ListResponse<unknown> | undefined;
  /** Without it, the search is complete. */
  further: FurtherSearch | undefined;
  /** Actions on the whole list. */
  actions: ReactNode;
}) {
  if (page === undefined) {
    // A separate key, so that the page does not jump when the placeholder is replaced.
    return (
      <div key="placeholder" className={styles.footer}>
        <Skeleton height={12} width="8rem" />
      </div>
    );
  }
  const { data, offset, total, total_is_lower_bound: isLowerBound = false } = page;
  const size = table.values.size ?? DEFAULT_PAGE_SIZE;
  // The results of a search that continues are counted up to there.
  const totalText =
    isLowerBound && further === undefined ? words.atLeast(formatNumber(total)) : formatNumber(total);
  const pages = Math.ceil(total / size);
  const current = table.values.page ?? 1;
  return (
    <div key="footer" className={styles.footer}>
      <VisuallyHidden role="status">
        {words.results(total, isLowerBound && further === undefined)}
      </VisuallyHidden>
      <div className={styles.range}>
        {data.length > 0 &&
          words.range(formatNumber(offset + 1), formatNumber(offset + data.length), totalText)}
        {total > 0 && isLowerBound && current >= pages && (
          <div>
            {further === undefined ? (
              words.bound(formatNumber(total))
            ) : (
              <>
                {further.description}{' '}
                <Anchor component="button" type="button" fz="inherit" onClick={further.go}>
                  {further.action}
                </Anchor>
              </>
            )}
          </div>
        )}
      </div>
      {total > 0 && actions}
      {total > SMALLEST_PAGE && (
        <Select
          size="xs"
          className={styles.size ?? ''}
          aria-label={words.perPage}
          value={String(size)}
          onChange={(value) => {
            const chosen = Number(value);
            table.change({ size: chosen === DEFAULT_PAGE_SIZE ? undefined : chosen });
          }}
          data={PAGE_SIZES.map((each) => ({ value: String(each), label: words.rows(each) }))}
        />
      )}
      <ListPages
        pages={pages}
        page={current}
        onPage={(chosen) => {
          table.change({ page: chosen === 1 ? undefined : chosen });
          window.scrollTo({ top: 0 });
        }}
      />
    </div>
  );
}
