import { Button, Checkbox, Pagination, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useId } from 'react';
import type { ListAnswer } from '../../../../../src/ui-api/list-query.ts';
import type { AddableAsset } from '../../../api/accounts.ts';
import { AssetIcon } from '../../../components/asset-icon.tsx';
import { PHONE } from '../../../components/data-rows.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import { accounts } from '../../../texts/accounts.ts';
import { shared } from '../../../texts/shared.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import styles from '../accounts.module.css';
import { keyOf } from './chosen-assets.ts';

const texts = accounts.contents.add;
const types = accounts.contents.types;
const PLACEHOLDERS = Array.from({ length: 6 }, (_, at) => at);

/** A page of content to choose from; what the account has already can be seen and not chosen. */
export function AddableMatches({
  found,
  error,
  retry,
  isStale,
  isSearch,
  page,
  onPage,
  chosen,
  onChoose,
}: {
  /** Undefined while it is read. */
  found: ListAnswer<AddableAsset> | undefined;
  error: Error | null;
  retry: () => void;
  isStale: boolean;
  isSearch: boolean;
  /** From 1. */
  page: number;
  onPage: (page: number) => void;
  chosen: ReadonlyMap<string, AddableAsset>;
  onChoose: (assets: readonly AddableAsset[], isChosen: boolean) => void;
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
  const free = found.data.filter(({ held }) => !held);
  return (
    <>
      {found.data.length === 0 ? (
        <div className={styles.results}>
          <p className={styles.message} role="status">
            {isSearch ? texts.nothing : texts.noContent}
          </p>
        </div>
      ) : (
        // Another page is looked at from its beginning.
        <ScrollBox key={found.offset} className={styles.results} label={texts.results}>
          <ul aria-busy={isStale}>
            {found.data.map((asset) => (
              <Match
                key={keyOf(asset)}
                asset={asset}
                isChosen={chosen.has(keyOf(asset))}
                onChoose={(isChosen) => onChoose([asset], isChosen)}
              />
            ))}
          </ul>
        </ScrollBox>
      )}
      <div className={styles.row}>
        <Range found={found} />
        {free.length > 0 && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChoose(free, true)}>
            {texts.chooseAll}
          </Button>
        )}
        <Pages found={found} page={page} onPage={onPage} />
      </div>
    </>
  );
}

function Range({
  found: { data, offset, total, limit, total_is_lower_bound },
}: {
  found: ListAnswer<unknown>;
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

function Pages({
  found: { total, limit },
  page,
  onPage,
}: {
  found: ListAnswer<unknown>;
  page: number;
  onPage: (page: number) => void;
}) {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const pages = Math.ceil(total / limit);
  if (pages < 2) return null;
  return (
    <Pagination
      component="nav"
      aria-label={shared.table.pages}
      size="sm"
      total={pages}
      value={page}
      siblings={isPhone === true ? 0 : 1}
      onChange={onPage}
      getItemProps={(number) => ({ 'aria-label': shared.table.page(number) })}
      getControlProps={(control) => ({
        'aria-label': control === 'previous' ? shared.table.previous : shared.table.next,
      })}
    />
  );
}

function Match({
  asset,
  isChosen,
  onChoose,
}: {
  asset: AddableAsset;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}) {
  const id = useId();
  const facts = [asset.held ? texts.held : '', types[asset.type], asset.location, accounts.id(asset.id)];
  return (
    <li>
      <label className={styles.choice} htmlFor={id} data-held={asset.held || undefined}>
        <Checkbox
          id={id}
          size="xs"
          disabled={asset.held}
          checked={asset.held || isChosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
        <AssetIcon type={asset.type} />
        <span className={styles.choiceWords}>
          <bdi className={styles.choiceName}>{asset.name}</bdi>
          <bdi className={styles.choiceFacts}>{facts.filter((fact) => fact !== '').join(' · ')}</bdi>
        </span>
      </label>
    </li>
  );
}
