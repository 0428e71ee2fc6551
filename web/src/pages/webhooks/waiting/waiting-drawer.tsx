import { Button, Drawer, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deadLettersKey } from '../../../api/dead-letters.ts';
import { skipWaiting, type WaitingRecord, waitingMessageQuery } from '../../../api/waiting.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { useReturnFocus } from '../../../components/use-return-focus.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { waiting } from '../../../texts/waiting.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { useWhileShown } from '../../../utilities/use-is-shown.ts';
import { MessageSection } from '../history/drawer-sections.tsx';
import styles from '../history/history.module.css';
import { messageFacts } from '../history/message-facts.tsx';

const texts = waiting.details;
const PLACEHOLDER_HEIGHT = 320;

/** A waiting message with its body, and the available actions. */
export function WaitingDrawer({
  webhookId,
  position,
  webhook,
  onClose,
}: {
  webhookId: number;
  /** Null: none is open. */
  position: number | null;
  /** Null while it is unknown. */
  webhook: WebhookRecord | null;
  onClose: () => void;
}) {
  // The drawer keeps its content while it closes.
  const [shown, setShown] = useState(position);
  if (position !== null && position !== shown) setShown(position);
  const isOpen = position !== null;
  // A message that is sent in the meantime leaves the list. Mantine would then lose the focus.
  useReturnFocus(isOpen);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      returnFocus={false}
      position="right"
      size="lg"
      title={texts.title}
    >
      {shown !== null && (
        <Content
          key={shown}
          webhookId={webhookId}
          position={shown}
          isOpen={isOpen}
          webhook={webhook}
          onClose={onClose}
        />
      )}
    </Drawer>
  );
}

function Content({
  webhookId,
  position,
  isOpen,
  webhook,
  onClose,
}: {
  webhookId: number;
  position: number;
  isOpen: boolean;
  webhook: WebhookRecord | null;
  onClose: () => void;
}) {
  const read = useQuery({ ...waitingMessageQuery(webhookId, position), enabled: isOpen });
  const { data } = read;
  // Whoever has closed the drawer while the message is skipped may have opened something else.
  const close = useWhileShown(onClose, isOpen);
  if (useIsMissing(position, read)) return <div>{texts.gone}</div>;
  if (data !== undefined)
    return <Details webhookId={webhookId} message={data} webhook={webhook} onSkipped={close} />;
  return <Unread query={read} placeholder={<Skeleton height={PLACEHOLDER_HEIGHT} aria-busy="true" />} />;
}

function Details({
  webhookId,
  message,
  webhook,
  onSkipped,
}: {
  webhookId: number;
  message: WaitingRecord;
  webhook: WebhookRecord | null;
  onSkipped: () => void;
}) {
  const event = webhooks.subtopics[message.subtopic].name;
  return (
    <div className={styles.sections}>
      <Skip webhookId={webhookId} message={message} event={event} onSkipped={onSkipped} />
      <Facts
        items={[
          ...messageFacts(message),
          [texts.attempts, formatNumber(message.attempts)],
          message.delivery_id === null
            ? null
            : [
                texts.history,
                <AnchorLink
                  key="history"
                  to="/administration/integrations/webhooks/$webhookId"
                  params={{ webhookId }}
                  search={{ tab: 'history', delivery: message.delivery_id } as never}
                >
                  {texts.toDelivery}
                </AnchorLink>,
              ],
        ]}
      />
      <MessageSection message={message.message} messageId={message.message_id} webhook={webhook} />
    </div>
  );
}

function Skip({
  webhookId,
  message,
  event,
  onSkipped,
}: {
  webhookId: number;
  message: WaitingRecord;
  event: string;
  onSkipped: () => void;
}) {
  const readOnly = useWebhooksReadOnly();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const skip = useFormMutation(
    {
      mutationFn: () => skipWaiting(webhookId, message.position),
      onSuccess: () => {
        setAsking(false);
        notifyDone(texts.skipped);
        onSkipped();
      },
      onSettled: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhookId] }),
          queryClient.invalidateQueries({ queryKey: deadLettersKey }),
        ]),
    },
    asking,
  );
  if (readOnly) return null;
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        disabled={message.in_flight}
        onClick={() => {
          skip.reset();
          setAsking(true);
        }}
      >
        {texts.skip}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={texts.skipTitle}
        confirmLabel={texts.skipConfirm}
        pending={skip.isPending}
        error={skip.error}
        onConfirm={() => skip.mutate()}
        onClose={() => setAsking(false)}
      >
        {texts.skipDescription(event)}
      </ConfirmDialog>
    </div>
  );
}
