import { CloseButton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SUBTOPICS } from '../../../../src/events/catalogue.ts';
import { keepsFocus } from '../../components/focus-heading.ts';
import type { TableState } from '../../components/use-table.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { HistoryFilters } from '../webhooks/history/history-filters.tsx';
import { HISTORY_FILTERS, type HistorySearch } from '../webhooks/history/history-search.ts';
import styles from './dead-letters.module.css';

const route = getRouteApi('/app/admin/administration/integrations/dead-letters');

/** The filters of the dead letters, and what else limits the list: one webhook, or the older ones only. */
export function LetterFilters({
  filters,
  webhookName,
  table,
}: {
  filters: HistorySearch;
  /** The name of the only webhook of the list; null for all. */
  webhookName: string | null;
  table: TableState;
}) {
  const { cursor } = route.useSearch();
  return (
    <>
      <HistoryFilters
        search={filters}
        subtopics={SUBTOPICS}
        onChange={(to) =>
          table.change({
            ...Object.fromEntries(HISTORY_FILTERS.map((name) => [name, undefined])),
            ...to,
          })
        }
      />
      {webhookName !== null && (
        <Limit endLabel={deadLetters.showAll} onEnd={() => table.change({ webhook_id: undefined })}>
          <bdi>{deadLetters.onlyOf(webhookName)}</bdi>
        </Limit>
      )}
      {cursor !== undefined && (
        <Limit endLabel={deadLetters.showNewest} onEnd={() => table.change({ cursor: undefined })}>
          {deadLetters.onlyOlder}
        </Limit>
      )}
    </>
  );
}

function Limit({ endLabel, onEnd, children }: { endLabel: string; onEnd: () => void; children: ReactNode }) {
  return (
    <span ref={keepsFocus} className={styles.only}>
      {children}
      <CloseButton size="sm" aria-label={endLabel} onClick={onEnd} />
    </span>
  );
}
