import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPower,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteWebhook, webhooksKey } from '../../api/webhooks.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { shared } from '../../texts/shared.ts';
import { webhookReplay } from '../../texts/webhook-replay.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { type SwitchedWebhook, useWebhookSwitch } from './use-webhook-switch.tsx';

/** The actions on a webhook, for every place that shows it. Do not render it while webhooks are Read Only. */
export function WebhookMenu({
  webhook,
  leaveWhenDeleted = false,
  disabled = false,
  onReplay,
}: {
  webhook: SwitchedWebhook;
  /** Whether the page is the webhook's own. */
  leaveWhenDeleted?: boolean;
  /** Disabled until the number of waiting messages is known, because deactivating without asking could lose them. */
  disabled?: boolean;
  /** Opens the replay of events. Without it, the menu does not offer one. */
  onReplay?: () => void;
}) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const [deleting, setDeleting] = useState(false);
  const change = useWebhookSwitch(webhook);
  const remove = useFormMutation(
    {
      mutationFn: () => deleteWebhook(webhook.id),
      onSuccess: async () => {
        setDeleting(false);
        notifyDone(webhooks.remove.done(webhook.name));
        if (leaveWhenDeleted) await leave({ to: '/administration/integrations/webhooks' });
        await queryClient.invalidateQueries({ queryKey: webhooksKey });
      },
    },
    deleting,
  );
  const waiting = formatNumber(webhook.depth);
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={leaveWhenDeleted ? 36 : 30}
            disabled={disabled}
            aria-label={webhooks.list.actionsOf(webhook.name)}
          >
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!leaveWhenDeleted && (
            <Menu.Item
              leftSection={<IconPencil size={16} stroke={1.6} />}
              renderRoot={(props) => (
                <Link
                  to="/administration/integrations/webhooks/$webhookId/edit"
                  params={{ webhookId: webhook.id }}
                  {...props}
                />
              )}
            >
              {shared.edit}
            </Menu.Item>
          )}
          {webhook.enabled && (
            <Menu.Item
              leftSection={
                webhook.paused ? (
                  <IconPlayerPlay size={16} stroke={1.6} />
                ) : (
                  <IconPlayerPause size={16} stroke={1.6} />
                )
              }
              onClick={webhook.paused ? change.resume : change.pause}
            >
              {webhook.paused ? webhooks.toggle.resume : webhooks.toggle.pause}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconPower size={16} stroke={1.6} />}
            onClick={webhook.enabled ? change.askToDeactivate : change.activate}
          >
            {webhook.enabled ? webhooks.toggle.disable : webhooks.toggle.enable}
          </Menu.Item>
          {onReplay !== undefined && (
            <Menu.Item leftSection={<IconRepeat size={16} stroke={1.6} />} onClick={onReplay}>
              {webhookReplay.action}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            onClick={() => {
              remove.reset();
              setDeleting(true);
            }}
          >
            {webhooks.remove.action}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {change.dialog}
      <ConfirmDialog
        opened={deleting}
        title={webhooks.remove.title(webhook.name)}
        confirmLabel={webhooks.remove.confirm}
        {...(webhook.depth > 0 ? { typedName: webhook.name } : {})}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      >
        {webhook.depth > 0 && <>{webhooks.remove.waiting(waiting)} </>}
        {webhooks.remove.description}
      </ConfirmDialog>
    </>
  );
}
