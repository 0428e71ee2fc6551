import { Button, Skeleton, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { healthQuery, resetStatistics, statisticsQuery } from '../../../api/webhooks.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Time } from '../../../components/time.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useMay } from '../../../session/session-context.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { formatNumber, formatShare } from '../../../utilities/numbers.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.statistics;
const PLACEHOLDER_HEIGHT = 52;

/** Successes and failures with their period, the last error, and a reset. */
export function StatisticsPanel({
  webhookId,
  withLastError,
}: {
  webhookId: number;
  /** False if the last error is shown elsewhere on the page. */
  withLastError: boolean;
}) {
  // Statistics can be reset even while webhooks are Read Only.
  const mayWrite = useMay()('webhooks:write');
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(statisticsQuery(webhookId));
  const { data: health } = useQuery(healthQuery(webhookId));
  const [asking, setAsking] = useState(false);
  const reset = useFormMutation(
    {
      mutationFn: () => resetStatistics(webhookId),
      onSuccess: (statistics) => {
        queryClient.setQueryData(statisticsQuery(webhookId).queryKey, statistics);
        setAsking(false);
        notifyDone(texts.resetDone);
      },
    },
    asking,
  );
  const ask = () => {
    reset.reset();
    setAsking(true);
  };
  return (
    <Panel
      title={texts.title}
      description={
        <>
          {texts.since} <Time value={data?.statistics_valid_from_dt} format="absolute" fallback="…" />
        </>
      }
      actions={
        mayWrite && (
          <Button variant="default" size="xs" onClick={ask} disabled={data === undefined}>
            {texts.reset}
          </Button>
        )
      }
    >
      {data === undefined && error === null && <Skeleton height={PLACEHOLDER_HEIGHT} />}
      {data === undefined && error !== null && <ErrorState error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <dl className={styles.numbers}>
            <Figure name={texts.rate}>
              <span className={styles.number}>
                {health === undefined
                  ? '…'
                  : health.success_rate === null
                    ? texts.noAttempts
                    : formatShare(health.success_rate)}
              </span>
            </Figure>
            <Figure name={texts.successes}>
              <span className={styles.number}>{formatNumber(data.success_count)}</span>
            </Figure>
            <Figure name={texts.failures}>
              <span
                className={`${styles.number} ${data.error_count > 0 ? styles.bad : ''}`}
                title={texts.failuresHint}
              >
                {formatNumber(data.error_count)}
              </span>
            </Figure>
            <Figure name={texts.lastSuccess}>
              <Time value={data.last_success_dt} />
            </Figure>
            <Figure name={texts.lastFailure}>
              <Time value={data.last_error_dt} />
            </Figure>
          </dl>
          {withLastError && data.last_error_message !== null && (
            <div className={styles.lastError}>
              <Title order={3}>{texts.lastError}</Title>
              <p className={styles.message}>
                <bdi>{data.last_error_message}</bdi>
              </p>
            </div>
          )}
        </>
      )}
      <ConfirmDialog
        opened={asking}
        title={texts.resetTitle}
        confirmLabel={texts.resetConfirm}
        pending={reset.isPending}
        error={reset.error}
        onConfirm={() => reset.mutate()}
        onClose={() => setAsking(false)}
      >
        {texts.resetDescription}
      </ConfirmDialog>
    </Panel>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
