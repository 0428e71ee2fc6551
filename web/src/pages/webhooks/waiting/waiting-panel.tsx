import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readWaiting, type WaitingMessage, waitingQuery } from '../../../api/waiting.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { lineQuery } from '../../../api/webhooks.ts';
import { CursorPages } from '../../../components/cursor-pages.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { ExportButton } from '../../../components/export-button.tsx';
import { Panel } from '../../../components/panel.tsx';
import { ROW_LINK, rowClicks } from '../../../components/row-clicks.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { OPENED_WITHIN } from '../../../navigation/opened-within.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { waiting } from '../../../texts/waiting.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { DeliverySubject } from '../history/delivery-subject.tsx';
import styles from '../history/history.module.css';
import { PurgeDialog } from './purge-dialog.tsx';

/** The waiting messages of a webhook, page by page. Renders nothing if there are none. */
export function WaitingPanel({ webhook }: { webhook: WebhookRecord }) {
  const readOnly = useWebhooksReadOnly();
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const [passed, setPassed] = useState<(string | undefined)[]>([]);
  const [purging, setPurging] = useState(false);
  const { data: line } = useQuery(lineQuery(webhook.id));
  const depth = line?.record.depth ?? 0;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...waitingQuery(webhook.id, cursor),
    enabled: depth > 0,
  });
  const rows = depth === 0 ? [] : (data?.data ?? []);
  const next = data?.next_cursor ?? null;
  const show = (to: string | undefined, before: (string | undefined)[]) => {
    setCursor(to);
    setPassed(before);
  };
  const isEmpty = depth === 0 || (data !== undefined && rows.length === 0 && cursor === undefined);
  // The dialog stays open after the last message is gone, to report that.
  if (isEmpty && !purging) return null;
  if (data === undefined && error === null) return null;
  return (
    <Panel
      title={waiting.title}
      description={waiting.description}
      flush
      actions={
        !readOnly && (
          <Button variant="default" size="xs" onClick={() => setPurging(true)} disabled={rows.length === 0}>
            {waiting.purge}
          </Button>
        )
      }
    >
      {data === undefined ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : rows.length === 0 && cursor !== undefined ? (
        <div className={styles.row}>{waiting.pageGone}</div>
      ) : (
        <ul className={styles.list} aria-label={waiting.label}>
          {rows.map((message, at) => (
            <Row key={message.position} message={message} isHead={at === 0 && cursor === undefined} />
          ))}
        </ul>
      )}
      <CursorPages
        label={waiting.pages}
        buttons={[
          { label: waiting.first, show: cursor === undefined ? null : () => show(undefined, []) },
          {
            label: waiting.previous,
            show: passed.length === 0 ? null : () => show(passed.at(-1), passed.slice(0, -1)),
          },
          {
            label: waiting.next,
            show:
              next === null
                ? null
                : () => {
                    // Until the page has arrived, the cursor is still that of the page itself.
                    if (!isPlaceholderData) show(next, [...passed, cursor]);
                  },
          },
        ]}
        exporting={
          <ExportButton
            exporting={{
              name: 'waiting-messages',
              page: (_client, after, limit) => readWaiting(webhook.id, after, limit),
            }}
            rowKey={({ position }) => position}
          />
        }
      />
      <PurgeDialog webhook={webhook} depth={depth} opened={purging} onClose={() => setPurging(false)} />
    </Panel>
  );
}

function Row({ message, isHead }: { message: WaitingMessage; isHead: boolean }) {
  const event = webhooks.subtopics[message.subtopic].name;
  return (
    <li className={styles.row} {...rowClicks}>
      <span className={styles.outcome}>
        <StatusBadge tone={message.in_flight ? 'info' : message.attempts > 0 ? 'bad' : 'quiet'}>
          {message.in_flight ? waiting.inFlight : isHead ? waiting.head : waiting.waits}
        </StatusBadge>
      </span>
      <Link
        from="/administration/integrations/webhooks/$webhookId"
        to="."
        search={(current) => ({ ...current, waiting: message.position })}
        state={OPENED_WITHIN}
        resetScroll={false}
        className={styles.open}
        {...ROW_LINK}
        aria-label={waiting.open(event, message.position)}
      >
        {event}
      </Link>
      <span className={styles.time}>
        <Time value={message.event_dt} format="clock" />
      </span>
      <span className={styles.response}>
        {message.attempts === 0 ? deliveries.notTried : deliveries.attemptsOf(message.attempts)}
      </span>
      <span className={styles.subject}>
        <DeliverySubject about={message.about} />
      </span>
    </li>
  );
}
