import { Button, Select, Skeleton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { SUBTOPICS, subtopicsOf } from '../../../../../src/events/catalogue.ts';
import { deadLettersKey } from '../../../api/dead-letters.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type DeliverySummary,
  deliveriesQuery,
  redeliverThese,
} from '../../../api/deliveries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { useWebhooksReadOnly } from '../../../app/session-context.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { notifyDone, notifyError } from '../../../components/notify.tsx';
import { Panel } from '../../../components/panel.tsx';
import { RedeliveryDialog } from '../../../components/redelivery-dialog.tsx';
import { deliveries } from '../../../texts/deliveries.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import styles from './history.module.css';
import { HistoryFilters } from './history-filters.tsx';
import { HistoryRows } from './history-rows.tsx';
import { HISTORY_FILTERS, type HistorySearch, historyFilter, historySearch } from './history-search.ts';

const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');
/** What the address holds of the history. */
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
  const [resending, setResending] = useState(false);
  const { data, error, isPlaceholderData, refetch } = useQuery(
    deliveriesQuery(webhookId, { outcome, cursor, filter }),
  );
  const ticks = useTicks(webhookId, data?.data ?? []);
  const show = (
    change: HistorySearch & { outcome?: DeliveryStatus | undefined; cursor?: string | undefined },
  ) =>
    void navigate({
      search: (present) => {
        const others = Object.entries(present).filter(([name]) => !OWN_MEMBERS.includes(name));
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
            key={JSON.stringify(narrowed)}
            search={narrowed}
            subtopics={webhook === null ? SUBTOPICS : subtopicsOf(webhook.topic)}
            onChange={(to) => show({ ...to, outcome })}
          />
          {webhook !== null && !readOnly && (
            <Button
              variant="default"
              size="xs"
              onClick={() => setResending(true)}
              disabled={!webhook.enabled}
              title={webhook.enabled ? undefined : deliveries.details.inactive}
            >
              {isFiltered ? deliveries.resendMatching : deliveries.resendDead}
            </Button>
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
        <HistoryRows
          deliveries={data.data}
          of={isPlaceholderData ? null : JSON.stringify([outcome, cursor, filter])}
          ticked={ticks.ticked}
          onTick={webhook?.enabled === true && !readOnly ? ticks.tick : null}
        />
      )}
      {ticks.ticked.size > 0 && (
        <div className={styles.ticked} role="status">
          <span>{deliveries.ticked(formatNumber(ticks.ticked.size))}</span>
          <Button size="xs" onClick={() => ticks.resend.mutate()} loading={ticks.resend.isPending}>
            {deliveries.resendTicked}
          </Button>
          <Button variant="default" size="xs" onClick={ticks.clear}>
            {deliveries.untick}
          </Button>
        </div>
      )}
      <Pages
        cursor={cursor}
        next={data?.next_cursor ?? null}
        onShow={(to) => show({ ...narrowed, outcome, cursor: to })}
      />
      {webhook !== null && (
        <RedeliveryDialog
          opened={resending}
          webhook={{ id: webhook.id, name: webhook.name }}
          filter={isFiltered ? { ...filter, status: redeliverable(outcome) } : null}
          ofHistory
          onClose={() => setResending(false)}
        />
      )}
    </Panel>
  );
}

/** The interface has only next pages, so the visited pages are remembered as long as this panel is open. */
function Pages({
  cursor,
  next,
  onShow,
}: {
  cursor: string | undefined;
  next: string | null;
  onShow: (cursor: string | undefined) => void;
}) {
  const [passed, setPassed] = useState<(string | undefined)[]>([]);
  if (cursor === undefined && next === null) return null;
  return (
    <nav className={styles.pages} aria-label={deliveries.pages}>
      <Button
        variant="default"
        size="xs"
        disabled={cursor === undefined}
        onClick={() => {
          setPassed([]);
          onShow(undefined);
        }}
      >
        {deliveries.newest}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={cursor === undefined || passed.length === 0}
        onClick={() => {
          setPassed(passed.slice(0, -1));
          onShow(passed.at(-1));
        }}
      >
        {deliveries.newer}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={() => {
          setPassed([...passed, cursor]);
          onShow(next ?? undefined);
        }}
      >
        {deliveries.older}
      </Button>
    </nav>
  );
}

/** The rows that are ticked, of those that are shown, and sending them again. */
function useTicks(webhookId: number, rows: readonly DeliverySummary[]) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const shown = new Set(rows.map(({ id }) => id));
  const ticked = new Set([...chosen].filter((id) => shown.has(id)));
  const resend = useMutation({
    mutationFn: () => redeliverThese(webhookId, [...ticked]),
    onSuccess: ({ redelivered }) => {
      setChosen(new Set());
      notifyDone(deliveries.resent(redelivered, formatNumber(redelivered)));
    },
    onError: notifyError,
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhookId] }),
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      ]),
  });
  const tick = (id: number, isTicked: boolean) => {
    const next = new Set(ticked);
    if (isTicked) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return { ticked, tick, resend, clear: () => setChosen(new Set()) };
}

/** Only messages of these outcomes are sent again together. */
function redeliverable(outcome: DeliveryStatus | undefined): DeliveryStatus {
  return outcome === 'DISCARDED' ? 'DISCARDED' : 'DEAD_LETTERED';
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
      title={deliveries.nothingFits.title}
      description={goesOn ? deliveries.nothingFits.goesOn : deliveries.nothingFits.description}
      action={
        <Button variant="default" onClick={onShowAll}>
          {deliveries.nothingFits.action}
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
