import { useQuery } from '@tanstack/react-query';
import { SUBTOPICS, subtopicsOf } from '../../../../../src/events/catalogue.ts';
import { deliveriesQuery } from '../../../api/deliveries.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { ExportButton } from '../../../components/export-button.tsx';
import { Panel } from '../../../components/panel.tsx';
import { SearchStatus } from '../../../components/search-status.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { HistoryEmpty } from './history-empty.tsx';
import { HistoryFilters } from './history-filters.tsx';
import { HistoryPages } from './history-pages.tsx';
import { HistoryPlaceholder, HistoryRows, useHeldRows } from './history-rows.tsx';
import { useHistorySelection } from './history-selection.tsx';
import { OutcomeFilter } from './outcome-filter.tsx';
import { useHistoryActions } from './use-history-actions.tsx';
import { useHistoryAddress } from './use-history-address.ts';

/** The outcomes of a webhook's messages. Those of a deleted webhook (null) are shown as long as they are kept. */
export function HistoryPanel({ webhookId, webhook }: { webhookId: number; webhook: WebhookRecord | null }) {
  const address = useHistoryAddress();
  const { outcome, cursor, filters, filter, isFiltered, show } = address;
  const readOnly = useWebhooksReadOnly();
  const read = useQuery(deliveriesQuery(webhookId, { outcome, cursor, filter }));
  const { data, isPlaceholderData } = read;
  const isMissing = useIsMissing(webhookId, read);
  const list = JSON.stringify([outcome, filter]);
  const held = useHeldRows(data?.data, isPlaceholderData ? null : JSON.stringify([outcome, cursor, filter]));
  const selection = useHistorySelection(
    held.rows,
    data === undefined || isPlaceholderData ? undefined : { ...data, cursor, of: list },
    webhook,
  );
  const isNarrowed = outcome !== undefined || cursor !== undefined || isFiltered;
  const actions = useHistoryActions(webhookId, webhook, address, selection.clear);
  const isEmpty = data?.data.length === 0 && data.next_cursor === null && !isPlaceholderData && !isNarrowed;
  if (webhook === null && (isMissing || isEmpty)) return null;
  return (
    <Panel
      title={deliveries.title}
      description={deliveries.description}
      flush
      actions={
        <>
          <OutcomeFilter outcome={outcome} onChange={(to) => show({ ...filters, outcome: to })} />
          <HistoryFilters
            search={filters}
            subtopics={webhook === null ? SUBTOPICS : subtopicsOf(webhook.topic)}
            onChange={(to) => show({ ...to, outcome })}
          />
          {actions.buttons}
        </>
      }
    >
      <SearchStatus
        page={isPlaceholderData ? undefined : data}
        empty={(isNarrowed ? deliveries.noResults : deliveries.empty).title}
      />
      {data === undefined ? (
        <Unread query={read} placeholder={<HistoryPlaceholder />} />
      ) : data.data.length === 0 ? (
        <HistoryEmpty filtered={isNarrowed} hasOlder={data.next_cursor !== null} onShowAll={() => show({})} />
      ) : (
        <HistoryRows held={held} ticked={selection.ticked} onTick={readOnly ? null : selection.tick} />
      )}
      {selection.bar}
      <HistoryPages
        of={list}
        cursor={cursor}
        next={data?.next_cursor ?? null}
        isLoading={isPlaceholderData}
        onShow={(to) => show({ ...filters, outcome, cursor: to })}
        exporting={
          <ExportButton
            exporting={{
              name: 'deliveries',
              page: (client, after, limit) =>
                fetchCurrent(
                  client,
                  deliveriesQuery(webhookId, { outcome, cursor: after ?? undefined, filter, limit }),
                ),
            }}
            rowKey={({ id }) => id}
          />
        }
      />
      {selection.dialog}
      {actions.dialog}
    </Panel>
  );
}
