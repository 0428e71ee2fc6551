import { postbackFailureReason } from '../../../../src/webhooks/history/postback-failure.ts';
import type { BlockedLine } from '../../api/dashboard.ts';
import { DataRows } from '../../components/data-rows.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Panel } from '../../components/panel.tsx';
import { RetryButton } from '../../components/retry-button.tsx';
import { RowLink } from '../../components/row-link.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { useSession, useWebhooksReadOnly } from '../../session/session-context.ts';
import { dashboard } from '../../texts/dashboard.ts';
import { webhookDetails } from '../../texts/webhook-details.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { formatCountdown } from '../../utilities/times.ts';
import { useNow } from '../../utilities/use-now.ts';
import styles from './dashboard.module.css';

const texts = dashboard.blocked;
const COUNTDOWN_EVERY_MS = 1_000;

/**
 * Lines whose first message is failing, the one with the oldest message first.
 * @param clockAhead by how many milliseconds the service's clock is ahead of this machine's
 */
export function BlockedPanel({
  lines,
  total,
  clockAhead,
}: {
  lines: readonly BlockedLine[];
  total: number;
  clockAhead: number;
}) {
  const readOnly = useWebhooksReadOnly();
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      flush={lines.length > 0}
      actions={
        total > lines.length && (
          <AnchorLink size="sm" to="/administration/integrations/webhooks" search={{ state: 'blocked' }}>
            {texts.all(formatNumber(total))}
          </AnchorLink>
        )
      }
    >
      {lines.length === 0 ? (
        <p className={styles.none}>{texts.none}</p>
      ) : (
        <DataRows
          label={texts.title}
          columns={readOnly ? columnsOf(clockAhead) : [...columnsOf(clockAhead), RETRY]}
          rows={lines}
          rowKey={({ webhook_id: id }) => id}
        />
      )}
    </Panel>
  );
}

const RETRY: Column<BlockedLine> = {
  id: 'actions',
  label: texts.actions,
  width: '7rem',
  card: 'actions',
  cell: (line) => (
    <RetryButton
      webhookId={line.webhook_id}
      messageId={line.message_id}
      label={texts.retry(line.name)}
      inFlight={line.next_attempt_dt === null}
    />
  ),
};

function columnsOf(clockAhead: number): readonly Column<BlockedLine>[] {
  return [
    {
      id: 'webhook',
      label: texts.webhook,
      card: 'title',
      width: '24%',
      cell: (line) => (
        <span className={styles.two}>
          <RowLink
            to="/administration/integrations/webhooks/$webhookId"
            params={{ webhookId: line.webhook_id }}
          >
            <bdi className={styles.lines} title={line.name}>
              {line.name}
            </bdi>
          </RowLink>
          <span className={styles.second}>{texts.head(webhooks.subtopics[line.subtopic].name)}</span>
        </span>
      ),
    },
    {
      id: 'error',
      label: texts.error,
      cell: (line) =>
        line.last_error_message !== null && (
          <bdi className={`${styles.reason} ${styles.bad}`} title={line.last_error_message}>
            {webhookDetails.error.reason(postbackFailureReason(line.last_error_message), line.explanation)}
          </bdi>
        ),
    },
    {
      id: 'since',
      label: texts.since,
      width: '8rem',
      cell: (line) => <Time value={line.since_dt} fallback="–" />,
    },
    {
      id: 'attempts',
      isSpare: true,
      label: texts.attempts,
      align: 'end',
      width: '5.5rem',
      cell: ({ attempts }) => formatNumber(attempts),
    },
    {
      id: 'waiting',
      label: texts.waiting,
      align: 'end',
      width: '5rem',
      cell: ({ depth }) => formatNumber(depth),
    },
    {
      id: 'next',
      label: texts.next,
      width: '7.5rem',
      cell: ({ next_attempt_dt: at, paused }) =>
        paused ? texts.paused : <NextAttempt at={at} clockAhead={clockAhead} />,
    },
  ];
}

function NextAttempt({ at, clockAhead }: { at: string | null; clockAhead: number }) {
  const { delivers } = useSession().service;
  const now = useNow(COUNTDOWN_EVERY_MS);
  if (at === null) return delivers ? texts.sending : texts.noNext;
  const left = Date.parse(at) - (now + clockAhead);
  return (
    <span className="cw-numbers">{left <= 0 ? texts.nextNow : texts.nextIn(formatCountdown(left))}</span>
  );
}
