import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { postbackFailureReason } from '../../../../../src/webhooks/history/postback-failure.ts';
import { hasDeadLettersQuery } from '../../../api/deliveries.ts';
import type { Line, WebhookRecord } from '../../../api/webhook-records.ts';
import { actOnHead, lineQuery, webhooksKey } from '../../../api/webhooks.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Panel } from '../../../components/panel.tsx';
import { RetryButton } from '../../../components/retry-button.tsx';
import { StatusBadge, type Tone } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useQuestion } from '../../../components/use-question.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { formatCountdown } from '../../../utilities/times.ts';
import { useNow } from '../../../utilities/use-now.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.line;
const PLACEHOLDER_HEIGHT = 84;
const COUNTDOWN_EVERY_MS = 1_000;

type LineHead = NonNullable<Line['head']>;

const TONES: Readonly<Record<Line['state'], Tone>> = {
  EMPTY: 'good',
  DUE: 'info',
  IN_FLIGHT: 'info',
  RETRYING: 'bad',
  PAUSED: 'warn',
};

/** The line: the waiting messages, why and until when they wait, and the actions on its head. */
export function LinePanel({ webhook }: { webhook: WebhookRecord }) {
  const { data, error, refetch } = useQuery(lineQuery(webhook.id));
  const dead = useQuery(hasDeadLettersQuery(webhook.id));
  const line = data?.record;
  // Rendered immediately, so that the content below does not move.
  const shown = line !== undefined && !dead.isPending;
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        line !== undefined && <StatusBadge tone={TONES[line.state]}>{texts.states[line.state]}</StatusBadge>
      }
    >
      {!shown && (line !== undefined || error === null) && <Skeleton height={PLACEHOLDER_HEIGHT} />}
      {line === undefined && error !== null && <ErrorState error={error} retry={() => void refetch()} />}
      {shown && line.head === null && <div>{texts.empty}</div>}
      {shown && line.head !== null && (
        <div className={styles.stack}>
          {line.state === 'PAUSED' && <div>{webhook.paused ? texts.paused : texts.turnedOff}</div>}
          <Head webhook={webhook} line={line} head={line.head} clockAhead={data?.clockAhead ?? 0} />
        </div>
      )}
      {shown && dead.data === true && <DeadLettersNote webhookId={webhook.id} />}
    </Panel>
  );
}

/** Shows that messages were moved to dead letters, with a link, because the line itself no longer does. */
function DeadLettersNote({ webhookId }: { webhookId: number }) {
  return (
    <div className={styles.note}>
      {texts.dead}{' '}
      <AnchorLink
        inherit
        underline="always"
        to="/administration/integrations/webhooks/$webhookId"
        params={{ webhookId }}
        search={{ tab: 'history', outcome: 'DEAD_LETTERED' }}
      >
        {texts.seeDead}
      </AnchorLink>
    </div>
  );
}

function Head({
  webhook,
  line,
  head,
  clockAhead,
}: {
  webhook: WebhookRecord;
  line: Line;
  head: LineHead;
  clockAhead: number;
}) {
  const readOnly = useWebhooksReadOnly();
  const queryClient = useQueryClient();
  const { asked, isOpen, ask, close } = useQuestion<'skip', LineHead>(({ message_id }) => message_id);
  const skip = useFormMutation(
    {
      mutationFn: ({ message_id }: LineHead) => actOnHead(webhook.id, 'skip', message_id),
      onSuccess: (after, skipped) => {
        queryClient.setQueryData(lineQuery(webhook.id).queryKey, after);
        close('skip', skipped);
        notifyDone(texts.skipped);
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhook.id] }),
    },
    isOpen('skip'),
  );
  return (
    <>
      <Facts
        items={[
          [texts.depth, formatNumber(line.depth)],
          [texts.oldest, <Time key="oldest" value={line.oldest_dt} />],
          [texts.head, webhooks.subtopics[head.subtopic].name],
          [texts.attempts, texts.ofAttempts(formatNumber(head.attempts), formatNumber(head.max_attempts))],
          // While the webhook is in error, the panel above has it.
          head.last_error_message === null || webhook.in_error
            ? null
            : [
                texts.lastError,
                <bdi key="error" className={styles.bad}>
                  {postbackFailureReason(head.last_error_message)}
                </bdi>,
              ],
          // An instance of an earlier release does not send it.
          head.unreadable == null
            ? [
                texts.nextAttempt,
                <NextAttempt key="next" line={line} at={head.next_attempt_dt} clockAhead={clockAhead} />,
              ]
            : [
                texts.unreadable,
                <bdi key="unreadable" className={styles.bad}>
                  {head.unreadable}
                </bdi>,
              ],
        ]}
      />
      {!readOnly && (
        <div className={styles.actions}>
          {/* While the webhook is in error, the panel above has it. */}
          {!webhook.in_error && (
            <RetryButton
              webhookId={webhook.id}
              messageId={head.message_id}
              inFlight={head.in_flight}
              disabled={line.state === 'PAUSED'}
            />
          )}
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              skip.reset();
              ask('skip', head);
            }}
            disabled={head.in_flight}
          >
            {texts.skip}
          </Button>
        </div>
      )}
      {asked !== null && (
        <ConfirmDialog
          opened={isOpen('skip')}
          title={texts.skipTitle}
          confirmLabel={texts.skipConfirm}
          pending={skip.isPending}
          error={skip.error}
          // The message that was confirmed is moved, even if another one has become the first in the meantime.
          onConfirm={() => skip.mutate(asked.of)}
          onClose={() => close('skip', asked.of)}
        >
          {texts.skipDescription(webhooks.subtopics[asked.of.subtopic].name)}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Counts down to the next attempt, by the service's clock. */
function NextAttempt({ line, at, clockAhead }: { line: Line; at: string | null; clockAhead: number }) {
  const now = useNow(COUNTDOWN_EVERY_MS);
  if (line.state === 'IN_FLIGHT') return texts.sending;
  if (at === null) return texts.states.PAUSED;
  const left = Date.parse(at) - (now + clockAhead);
  if (left <= 0) return texts.now;
  return (
    <>
      {texts.inTime(formatCountdown(left))} (<Time value={at} format="absolute" />)
    </>
  );
}
