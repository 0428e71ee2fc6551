import { Button, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { postbackFailureReason } from '../../../../../src/webhooks/history/postback-failure.ts';
import type { DeliverySummary } from '../../../api/deliveries.ts';
import { ROW_LINK, rowClicks } from '../../../components/row-clicks.ts';
import { RowCheckbox } from '../../../components/selection/row-checkbox.tsx';
import { Time } from '../../../components/time.tsx';
import { useSteadyRows } from '../../../components/use-steady-rows.ts';
import { OPENED_WITHIN } from '../../../navigation/opened-within.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { formatDuration } from '../../../utilities/times.ts';
import { DeliveryStatusBadge } from './delivery-status.tsx';
import { DeliverySubject } from './delivery-subject.tsx';
import styles from './history.module.css';
import { isWaiting } from './history-selection.tsx';

/** Selects or deselects a row. With `asRange`, also all rows up to the last one. */
type Tick = (delivery: DeliverySummary, isTicked: boolean, asRange: boolean) => void;

const PLACEHOLDERS = Array.from({ length: 8 }, (_, at) => `placeholder-${at}`);
const NOT_HELD = { pointed: false, focused: false };

/**
 * The rows of a history, which do not move while they are hovered or focused.
 * @param of see `useSteadyRows`
 */
export function useHeldRows(deliveries: readonly DeliverySummary[] | undefined, of: string | null) {
  const [hold, setHold] = useState(NOT_HELD);
  const steady = useSteadyRows(deliveries, { held: hold.pointed || hold.focused, of });
  return { rows: steady?.rows ?? [], waiting: steady?.waiting ?? 0, setHold };
}

/** The rows of a history. */
export function HistoryRows({
  held: { rows, waiting, setHold },
  ticked,
  onTick,
}: {
  held: ReturnType<typeof useHeldRows>;
  ticked: ReadonlySet<number>;
  /** Null: no row can be selected. */
  onTick: Tick | null;
}) {
  // A list that disappears under the pointer reports no end.
  useEffect(() => () => setHold(NOT_HELD), [setHold]);
  const hold = (part: Partial<typeof NOT_HELD>) => setHold((before) => ({ ...before, ...part }));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes, so that rows do not move.
    <div
      onPointerEnter={({ pointerType }) => hold({ pointed: pointerType === 'mouse' })}
      onPointerLeave={() => hold({ pointed: false })}
      onFocus={({ target }) => hold({ focused: target.matches(':focus-visible') })}
      onBlur={() => hold({ focused: false })}
    >
      {waiting > 0 && (
        <div className={styles.fresh} role="status">
          <Button variant="default" size="compact-sm" onClick={() => setHold(NOT_HELD)}>
            {deliveries.showNew(formatNumber(waiting))}
          </Button>
        </div>
      )}
      <ul className={styles.list} aria-label={deliveries.label}>
        {rows.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} isTicked={ticked.has(delivery.id)} onTick={onTick} />
        ))}
      </ul>
    </div>
  );
}

/** Shown while the rows are loading. */
export function HistoryPlaceholder() {
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

function Row({
  delivery,
  isTicked,
  onTick,
}: {
  delivery: DeliverySummary;
  isTicked: boolean;
  onTick: Tick | null;
}) {
  const event = webhooks.subtopics[delivery.subtopic].name;
  return (
    <li className={styles.row} {...rowClicks}>
      <span className={styles.outcome}>
        {onTick !== null && (
          <RowCheckbox
            label={deliveries.tick(event, delivery.id)}
            checked={isTicked}
            disabled={isWaiting(delivery)}
            onChange={(nowTicked, asRange) => onTick(delivery, nowTicked, asRange)}
          />
        )}
        <DeliveryStatusBadge status={delivery.status} />
      </span>
      <Link
        from="/administration/integrations/webhooks/$webhookId"
        to="."
        search={(current) => ({ ...current, delivery: delivery.id })}
        state={OPENED_WITHIN}
        resetScroll={false}
        className={styles.open}
        {...ROW_LINK}
        aria-label={deliveries.open(event, delivery.id)}
      >
        {event}
      </Link>
      <span className={styles.time}>
        <Time value={delivery.event_dt} format="clock" />
      </span>
      <span className={styles.response}>
        {delivery.attempts === 0
          ? deliveries.notTried
          : `${delivery.response_status ?? deliveries.noResponse} · ${deliveries.attemptsOf(delivery.attempts)}${
              delivery.duration_ms === null ? '' : ` · ${formatDuration(delivery.duration_ms)}`
            }`}
      </span>
      <span className={styles.subject}>
        <DeliverySubject about={delivery.about} />
      </span>
      {delivery.error !== null && (
        <span className={styles.error} title={delivery.error}>
          <bdi>{postbackFailureReason(delivery.error)}</bdi>
        </span>
      )}
    </li>
  );
}
