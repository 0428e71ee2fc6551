import { Button, Select, Skeleton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type DeliverySummary,
  deliveriesQuery,
} from '../../../api/deliveries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { OPENED_WITHIN } from '../../../app/opened-within.ts';
import { useWebhooksReadOnly } from '../../../app/session-context.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { RedeliveryDialog } from '../../../components/redelivery-dialog.tsx';
import { ROW_LINK, rowClicks } from '../../../components/row-clicks.ts';
import { Time } from '../../../components/time.tsx';
import { useSteadyRows } from '../../../components/use-steady-rows.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { shortError } from '../../../utilities/short-error.ts';
import { formatDuration } from '../../../utilities/times.ts';
import { DeliveryStatusBadge } from './delivery-status.tsx';
import styles from './history.module.css';

const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');
const PLACEHOLDERS = Array.from({ length: 8 }, (_, at) => `placeholder-${at}`);

/** The outcomes of a webhook's messages. Those of a deleted webhook (null) are shown as long as they are kept. */
export function HistoryPanel({ webhookId, webhook }: { webhookId: number; webhook: WebhookRecord | null }) {
  const { outcome, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const readOnly = useWebhooksReadOnly();
  const [resending, setResending] = useState(false);
  const { data, error, isPlaceholderData, refetch } = useQuery(
    deliveriesQuery(webhookId, { outcome, cursor }),
  );
  const show = (change: { outcome?: DeliveryStatus | undefined; cursor?: string | undefined }) =>
    void navigate({
      search: ({ outcome: _outcome, cursor: _cursor, ...others }) => ({
        ...others,
        ...(change.outcome === undefined ? {} : { outcome: change.outcome }),
        ...(change.cursor === undefined ? {} : { cursor: change.cursor }),
      }),
      resetScroll: false,
    });
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
            onChange={(value) => show({ outcome: DELIVERY_STATUSES.find((status) => status === value) })}
            data={[
              { value: '', label: deliveries.all },
              ...DELIVERY_STATUSES.map((status) => ({ value: status, label: deliveries.statuses[status] })),
            ]}
          />
          {webhook !== null && !readOnly && (
            <Button
              variant="default"
              size="xs"
              onClick={() => setResending(true)}
              disabled={!webhook.enabled}
              title={webhook.enabled ? undefined : deliveries.details.inactive}
            >
              {deliveries.resendDead}
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
        <Nothing filtered={outcome !== undefined || cursor !== undefined} onShowAll={() => show({})} />
      ) : (
        <Rows deliveries={data.data} of={isPlaceholderData ? null : `${outcome ?? ''} ${cursor ?? ''}`} />
      )}
      <Pages
        cursor={cursor}
        next={data?.next_cursor ?? null}
        onShow={(to) => show({ outcome, cursor: to })}
      />
      {webhook !== null && (
        <RedeliveryDialog
          opened={resending}
          webhook={{ id: webhook.id, name: webhook.name }}
          onClose={() => setResending(false)}
        />
      )}
    </Panel>
  );
}

/** The rows, which stay where they are while someone points at them or has the focus in them. */
function Rows({ deliveries: rows, of }: { deliveries: readonly DeliverySummary[]; of: string | null }) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const steady = useSteadyRows(rows, { held: pointed || focused, of });
  const waiting = steady?.waiting ?? 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes, so that rows do not move.
    <div
      onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
      onPointerLeave={() => setPointed(false)}
      onFocus={({ target }) => setFocused(target.matches(':focus-visible'))}
      onBlur={() => setFocused(false)}
    >
      {waiting > 0 && (
        <div className={styles.fresh} role="status">
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              setPointed(false);
              setFocused(false);
            }}
          >
            {deliveries.showNew(formatNumber(waiting))}
          </Button>
        </div>
      )}
      <ul className={styles.list} aria-label={deliveries.label}>
        {steady?.rows.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} />
        ))}
      </ul>
    </div>
  );
}

function Row({ delivery }: { delivery: DeliverySummary }) {
  const event = webhooks.subtopics[delivery.subtopic].name;
  return (
    <li className={styles.row} {...rowClicks}>
      <span className={styles.outcome}>
        <DeliveryStatusBadge status={delivery.status} />
      </span>
      <Link
        from="/administration/integrations/webhooks/$webhookId"
        to="."
        search={(present) => ({ ...present, delivery: delivery.id })}
        state={OPENED_WITHIN}
        resetScroll={false}
        className={styles.open}
        {...ROW_LINK}
        aria-label={deliveries.open(event, delivery.id)}
      >
        {event}
      </Link>
      <span className={styles.time}>
        <Time value={delivery.event_dt} />
      </span>
      <span className={styles.answer}>
        {delivery.attempts === 0
          ? deliveries.notTried
          : `${delivery.response_status ?? deliveries.noAnswer} · ${deliveries.attemptsOf(formatNumber(delivery.attempts), delivery.attempts)}${
              delivery.duration_ms === null ? '' : ` · ${formatDuration(delivery.duration_ms)}`
            }`}
      </span>
      {delivery.error !== null && (
        <span className={styles.error} title={delivery.error}>
          <bdi>{shortError(delivery.error)}</bdi>
        </span>
      )}
    </li>
  );
}

/** The interface leads onward only: the pages that were passed are remembered while one stays here. */
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

function Nothing({ filtered, onShowAll }: { filtered: boolean; onShowAll: () => void }) {
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
      description={deliveries.nothingFits.description}
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
