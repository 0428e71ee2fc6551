import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { statisticsQuery } from '../../../api/webhooks.ts';
import { useWebhooksReadOnly } from '../../../app/session-context.ts';
import { Callout } from '../../../components/callout.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Time } from '../../../components/time.tsx';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.error;

/** The last error in full, while the webhook is in error. */
export function ErrorPanel({ webhookId, onHistory }: { webhookId: number; onHistory: () => void }) {
  const readOnly = useWebhooksReadOnly();
  const { data } = useQuery(statisticsQuery(webhookId));
  return (
    <Callout tone="bad" title={texts.title} live="title">
      {data?.last_error_message != null && (
        <>
          <Time value={data.last_error_dt} />
          <p className={styles.message} data-testid="last-error">
            <bdi>{data.last_error_message}</bdi>
          </p>
        </>
      )}
      <div>{readOnly ? texts.hintReadOnly : texts.hint}</div>
      <div className={styles.actions}>
        <Button variant="default" size="xs" onClick={onHistory}>
          {texts.attempts}
        </Button>
        {data?.last_error_message != null && (
          <CopyButton value={data.last_error_message} label={texts.copy} />
        )}
      </div>
    </Callout>
  );
}
