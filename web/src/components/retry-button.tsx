import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dashboardQuery } from '../api/dashboard.ts';
import { actOnHead, lineQuery, webhooksKey } from '../api/webhooks.ts';
import { webhookDetails } from '../texts/webhook-details.ts';
import { BusyButton } from './busy-button.tsx';
import { notifyDone, notifyError } from './notify.tsx';

/** Retries the first message of a webhook's line now, if it still is the first. */
export function RetryButton({
  webhookId,
  messageId,
  label,
  inFlight,
  disabled = false,
}: {
  webhookId: number;
  messageId: string;
  /** For screen readers, if the page has buttons of several webhooks. */
  label?: string;
  /** Whether an attempt is under way. */
  inFlight: boolean;
  disabled?: boolean;
}) {
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: () => actOnHead(webhookId, 'retry', messageId),
    onSuccess: (after) => {
      queryClient.setQueryData(lineQuery(webhookId).queryKey, after);
      notifyDone(webhookDetails.line.retried);
    },
    onError: notifyError,
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhookId] }),
        queryClient.invalidateQueries({ queryKey: dashboardQuery.queryKey }),
      ]),
  });
  return (
    <BusyButton
      variant="default"
      size="xs"
      onClick={() => retry.mutate()}
      isBusy={retry.isPending || inFlight}
      disabled={disabled}
      aria-label={label}
    >
      {webhookDetails.line.retry}
    </BusyButton>
  );
}
