import { Menu } from '@mantine/core';
import {
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPower,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import { MenuItemLink } from '../../components/links.tsx';
import { MoreMenu } from '../../components/more-menu.tsx';
import { shared } from '../../texts/shared.ts';
import { webhookReplay } from '../../texts/webhook-replay.ts';
import { webhooks } from '../../texts/webhooks.ts';
import type { ActOnWebhook, WebhookToChange } from './use-webhook-actions.tsx';

/** The actions on a webhook, for every place that shows it. Do not render it while webhooks are Read Only. */
export function WebhookMenu({
  webhook,
  onAct,
  isOwnPage = false,
  disabled = false,
  onReplay,
}: {
  webhook: WebhookToChange;
  onAct: ActOnWebhook;
  /** Whether the page is the webhook's own. */
  isOwnPage?: boolean;
  /** Disabled until the number of waiting messages is known, because deactivating without asking could lose them. */
  disabled?: boolean;
  /** Opens the replay of events. Without it, the menu does not offer one. */
  onReplay?: () => void;
}) {
  return (
    <MoreMenu size={isOwnPage ? 36 : 30} disabled={disabled} label={webhooks.list.actionsOf(webhook.name)}>
      {!isOwnPage && (
        <MenuItemLink
          leftSection={<IconPencil size={16} stroke={1.6} />}
          to="/administration/integrations/webhooks/$webhookId/edit"
          params={{ webhookId: webhook.id }}
        >
          {shared.edit}
        </MenuItemLink>
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
          onClick={() => onAct(webhook.paused ? 'resume' : 'pause', webhook)}
        >
          {webhook.paused ? webhooks.toggle.resume : webhooks.toggle.pause}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconPower size={16} stroke={1.6} />}
        onClick={() => onAct(webhook.enabled ? 'deactivate' : 'activate', webhook)}
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
        onClick={() => onAct('delete', webhook)}
      >
        {webhooks.remove.action}
      </Menu.Item>
    </MoreMenu>
  );
}
