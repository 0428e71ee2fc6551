import { Button, Skeleton } from '@mantine/core';
import { assetKey } from '../../../../src/events/asset-key.ts';
import type { ListResponse } from '../../../../src/ui-api/list-query.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { shared } from '../../texts/shared.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { ErrorState } from '../error-state.tsx';
import { ListPages } from '../list-pages.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import type { Choice } from './choice.ts';
import styles from './content-dialog.module.css';
import { Match, SingleMatch } from './match-rows.tsx';

const PLACEHOLDERS = Array.from({ length: 6 }, (_, at) => at);

/**
 * A page of content to choose from. Assets that were added earlier are shown, but cannot be selected. With `single`,
 * each row is a button that chooses its asset, and the current choice is marked.
 */
export function ContentMatches<T extends Choice>({
  found,
  error,
  retry,
  isStale,
  label,
  none,
  isSearch,
  page,
  onPage,
  isAdded,
  chosen,
  single,
  onChoose,
}: {
  single: boolean;
  /** Undefined while loading. */
  found: ListResponse<T> | undefined;
  error: Error | null;
  retry: () => void;
  isStale: boolean;
  /** The name of the list. */
  label: string;
  /** Shown if there is nothing to choose at all. */
  none: string;
  isSearch: boolean;
  /** From 1. */
  page: number;
  onPage: (page: number) => void;
  isAdded: (asset: T) => boolean;
  chosen: ReadonlyMap<string, T>;
  onChoose: (assets: readonly T[], isChosen: boolean) => void;
}) {
  if (found === undefined) {
    return (
      <div className={styles.results} aria-busy={error === null}>
        {error !== null ? (
          <ErrorState error={error} retry={retry} />
        ) : (
          PLACEHOLDERS.map((line) => <Skeleton key={line} height={14} m="md" width={`${70 - line * 6}%`} />)
        )}
      </div>
    );
  }
  const free = found.data.filter((asset) => !isAdded(asset));
  return (
    <>
      {found.data.length === 0 ? (
        <div className={styles.results}>
          <p className={styles.message} role="status">
            {isSearch ? texts.nothing : none}
          </p>
        </div>
      ) : (
        // Another page is shown from its start.
        <ScrollBox key={found.offset} className={styles.results} label={label}>
          <ul aria-busy={isStale}>
            {found.data.map((asset) =>
              single ? (
                <SingleMatch
                  key={assetKey(asset)}
                  asset={asset}
                  isCurrent={isAdded(asset)}
                  onChoose={() => onChoose([asset], true)}
                />
              ) : (
                <Match
                  key={assetKey(asset)}
                  asset={asset}
                  isAdded={isAdded(asset)}
                  isChosen={chosen.has(assetKey(asset))}
                  onChoose={(isChosen) => onChoose([asset], isChosen)}
                />
              ),
            )}
          </ul>
        </ScrollBox>
      )}
      <div className={styles.row}>
        <Range found={found} />
        {free.length > 0 && !single && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChoose(free, true)}>
            {texts.chooseAll}
          </Button>
        )}
        <ListPages pages={Math.ceil(found.total / found.limit)} page={page} onPage={onPage} />
      </div>
    </>
  );
}

function Range({
  found: { data, offset, total, limit, total_is_lower_bound },
}: {
  found: ListResponse<unknown>;
}) {
  if (data.length === 0) return null;
  const totalText = formatNumber(total);
  return (
    <span role="status">
      {shared.table.range(
        formatNumber(offset + 1),
        formatNumber(offset + data.length),
        total_is_lower_bound === true ? shared.table.atLeast(totalText) : totalText,
      )}
      {total_is_lower_bound === true && offset + limit >= total && <> {shared.table.bound(totalText)}</>}
    </span>
  );
}
