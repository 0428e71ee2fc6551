import { Button, Select, Skeleton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { SUBTOPICS, subtopicsOf } from '../../../../../src/events/catalogue.ts';
import type { DeadLetterAction } from '../../../api/dead-letters.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  deliveriesQuery,
  hasDeadLettersQuery,
} from '../../../api/deliveries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { ExportButton } from '../../../components/export-button.tsx';
import { Panel } from '../../../components/panel.tsx';
import { useRedelivery } from '../../../components/redelivery-dialog.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { deadLetters } from '../../../texts/dead-letters.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import styles from './history.module.css';
import { HistoryFilters } from './history-filters.tsx';
import { HistoryRows, useHeldRows } from './history-rows.tsx';
import { HISTORY_FILTERS, type HistorySearch, historyFilter, historySearch } from './history-search.ts';
import { useHistorySelection } from './history-selection.tsx';

const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');
/** The members of the address that concern the history. */
const OWN_MEMBERS: readonly string[] = ['outcome', 'cursor', ...HISTORY_FILTERS];
const PLACEHOLDERS = Array.from({ length: 8 }, (_, at) => `placeholder-${at}`);

/** The outcomes of a webhook's messages. Those of a deleted webhook (null) are shown as long as they are kept. */
export function HistoryPanel({ webhookId, webhook }: { webhookId: number; webhook: WebhookRecord | null }) {
  const search = route.useSearch();
  const { outcome, cursor } = search;
  const filter = historyFilter(search);
  const isFiltered = Object.keys(filter).length > 0;
  const navigate = route.useNavigate();
  const readOnly = useWebhooksReadOnly();
  const { data, error, isPlaceholderData, refetch } = useQuery(
    deliveriesQuery(webhookId, { outcome, cursor, filter }),
  );
  const active = webhook?.enabled === true;
  const { data: hasDead = true } = useQuery({ ...hasDeadLettersQuery(webhookId), enabled: !readOnly });
  const noRemoval = whyNotRemove({ isFiltered, outcome, hasDead });
  const noRedelivery = whyNotRedeliver({ active, isFiltered, outcome, hasDead });
  const held = useHeldRows(data?.data, isPlaceholderData ? null : JSON.stringify([outcome, cursor, filter]));
  const selection = useHistorySelection(
    held.rows,
    data === undefined || isPlaceholderData
      ? undefined
      : { ...data, cursor, of: JSON.stringify([outcome, filter]) },
    active,
  );
  const redelivery = useRedelivery(selection.clear);
  const start = (action: DeadLetterAction) =>
    redelivery.ask({
      action,
      webhook: { id: webhookId, name: webhook?.name ?? deadLetters.deletedWebhook(webhookId) },
      filter: isFiltered
        ? { ...filter, ...(action === 'redeliver' ? { status: redeliverable(outcome) } : {}) }
        : null,
      ofHistory: true,
    });
  const show = (
    change: HistorySearch & { outcome?: DeliveryStatus | undefined; cursor?: string | undefined },
  ) =>
    void navigate({
      search: (current) => {
        const others = Object.entries(current).filter(([name]) => !OWN_MEMBERS.includes(name));
        const own = Object.entries(change).filter(([, value]) => value !== undefined);
        return Object.fromEntries([...others, ...own]);
      },
      resetScroll: false,
    });
  const narrowed = historySearch({ ...search });
  if (webhook === null && (error !== null || data?.data.length === 0)) return null;
  return (
    <Panel
      title={deliveries.title}
      description={deliveries.description}
      flush
      actions={
        <>
          <Select
            size="xs"
            aria-label={deliveries.filter}
            value={outcome ?? ''}
            onChange={(value) =>
              show({ ...narrowed, outcome: DELIVERY_STATUSES.find((status) => status === value) })
            }
            data={[
              { value: '', label: deliveries.all },
              ...DELIVERY_STATUSES.map((status) => ({ value: status, label: deliveries.statuses[status] })),
            ]}
          />
          <HistoryFilters
            search={narrowed}
            subtopics={webhook === null ? SUBTOPICS : subtopicsOf(webhook.topic)}
            onChange={(to) => show({ ...to, outcome })}
          />
          {!readOnly && (
            <>
              <Button
                variant="default"
                size="xs"
                onClick={() => start('remove')}
                disabled={noRemoval !== undefined}
                title={noRemoval}
              >
                {isFiltered ? deliveries.removeMatching : deliveries.removeDead}
              </Button>
              <Button
                variant="default"
                size="xs"
                onClick={() => start('redeliver')}
                disabled={noRedelivery !== undefined}
                title={noRedelivery}
              >
                {isFiltered ? deliveries.resendMatching : deliveries.resendDead}
              </Button>
            </>
          )}
        </>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Placeholder />
        ) : (
          <ErrorState error={error} retry={() => void refetch()} />
        )
      ) : data.data.length === 0 ? (
        <Nothing
          filtered={outcome !== undefined || cursor !== undefined || isFiltered}
          goesOn={data.next_cursor !== null}
          onShowAll={() => show({})}
        />
      ) : (
        <HistoryRows held={held} ticked={selection.ticked} onTick={readOnly ? null : selection.tick} />
      )}
      {selection.bar}
      <Pages
        of={JSON.stringify([outcome, filter])}
        cursor={cursor}
        next={data?.next_cursor ?? null}
        isLoading={isPlaceholderData}
        onShow={(to) => show({ ...narrowed, outcome, cursor: to })}
        exporting={
          <ExportButton
            exporting={{
              name: 'deliveries',
              page: (client, after, limit) =>
                client.fetchQuery(
                  deliveriesQuery(webhookId, { outcome, cursor: after ?? undefined, filter, limit }),
                ),
            }}
            rowKey={({ id }) => id}
          />
        }
      />
      {selection.dialog}
      {redelivery.dialog}
    </Panel>
  );
}

/** The API returns only next pages, so this panel remembers, while it is open, from which page each one was opened. */
function Pages({
  of,
  cursor,
  next,
  isLoading,
  exporting,
  onShow,
}: {
  exporting: ReactNode;
  /** What the cursors belong to: the outcome and the filter. */
  of: string;
  cursor: string | undefined;
  next: string | null;
  /** Whether the rows, and `next`, are still those of the page or filter before. */
  isLoading: boolean;
  onShow: (cursor: string | undefined) => void;
}) {
  const [openedFrom, setOpenedFrom] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  const keyOf = (page: string | null | undefined) => JSON.stringify([of, page]);
  return (
    // The same element with and without pages, so that an export continues when pages appear.
    <div className={styles.pages}>
      {exporting}
      {(cursor !== undefined || next !== null) && (
        <nav className={styles.pageButtons} aria-label={deliveries.pages}>
          <Button
            variant="default"
            size="xs"
            disabled={cursor === undefined}
            onClick={() => onShow(undefined)}
          >
            {deliveries.newest}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={cursor === undefined || !openedFrom.has(keyOf(cursor))}
            onClick={() => onShow(openedFrom.get(keyOf(cursor)))}
          >
            {deliveries.newer}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={next === null}
            onClick={() => {
              if (isLoading) return;
              setOpenedFrom(new Map(openedFrom).set(keyOf(next), cursor));
              onShow(next ?? undefined);
            }}
          >
            {deliveries.older}
          </Button>
        </nav>
      )}
    </div>
  );
}

/** The outcome whose messages can be redelivered together; null if they must be selected one by one, or are waiting. */
function redeliverable(outcome: DeliveryStatus | undefined): 'DEAD_LETTERED' | 'DISCARDED' | null {
  if (outcome === 'DISCARDED') return outcome;
  return mayBeDead(outcome) ? 'DEAD_LETTERED' : null;
}

function mayBeDead(outcome: DeliveryStatus | undefined): boolean {
  return outcome === undefined || outcome === 'DEAD_LETTERED';
}

/** What decides which actions on several messages are possible. */
interface Shown {
  isFiltered: boolean;
  outcome: DeliveryStatus | undefined;
  /** Whether the webhook has dead letters. */
  hasDead: boolean;
}

function whyNotRemove({ isFiltered, outcome, hasDead }: Shown): string | undefined {
  if (isFiltered && !mayBeDead(outcome)) return deliveries.onlyDead;
  return hasDead ? undefined : deliveries.noneDead;
}

function whyNotRedeliver({
  active,
  isFiltered,
  outcome,
  hasDead,
}: Shown & { active: boolean }): string | undefined {
  if (!active) return deliveries.details.inactive;
  const what = isFiltered ? redeliverable(outcome) : 'DEAD_LETTERED';
  if (what === null) return deliveries.onlyFailed;
  return what === 'DISCARDED' || hasDead ? undefined : deliveries.noneDead;
}

function Nothing({
  filtered,
  goesOn,
  onShowAll,
}: {
  filtered: boolean;
  /** True if older deliveries have not been searched yet. */
  goesOn: boolean;
  onShowAll: () => void;
}) {
  if (!filtered) {
    return (
      <EmptyState
        icon={IconHistory}
        heading="h3"
        title={deliveries.empty.title}
        description={deliveries.empty.description}
      />
    );
  }
  return (
    <EmptyState
      icon={IconHistory}
      heading="h3"
      title={deliveries.noResults.title}
      description={goesOn ? deliveries.noResults.goesOn : deliveries.noResults.description}
      action={
        <Button variant="default" onClick={onShowAll}>
          {deliveries.noResults.action}
        </Button>
      }
    />
  );
}

function Placeholder() {
  return (
    <div className={styles.list} aria-busy="true">
      {PLACEHOLDERS.map((key) => (
        <div key={key} className={styles.row}>
          <Skeleton height={20} width="60%" />
        </div>
      ))}
    </div>
  );
}
