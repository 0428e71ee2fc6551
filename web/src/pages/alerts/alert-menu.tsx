import { Menu } from '@mantine/core';
import { IconPencil, IconPower, IconTrash } from '@tabler/icons-react';
import type { Alert } from '../../api/alerts.ts';
import { MenuItemLink } from '../../components/links.tsx';
import { MoreMenu } from '../../components/more-menu.tsx';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';
import type { AlertAction } from './use-alert-actions.tsx';

/** The actions on an alert rule. */
export function AlertMenu({
  alert,
  onAct,
  isOwnPage = false,
}: {
  alert: Alert;
  onAct: (action: AlertAction, on: Alert) => void;
  /** Whether the page is the rule's own. */
  isOwnPage?: boolean;
}) {
  const { id, name, enabled } = alert;
  return (
    <MoreMenu size={isOwnPage ? 36 : 30} label={texts.menu.of(name)}>
      <MenuItemLink
        leftSection={<IconPencil size={16} stroke={1.6} />}
        to="/administration/alerts/$alertId/edit"
        params={{ alertId: id }}
      >
        {shared.edit}
      </MenuItemLink>
      <Menu.Item
        leftSection={<IconPower size={16} stroke={1.6} />}
        onClick={() => onAct(enabled ? 'disable' : 'enable', alert)}
      >
        {enabled ? texts.menu.disable : texts.menu.enable}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => onAct('delete', alert)}
      >
        {shared.delete}
      </Menu.Item>
    </MoreMenu>
  );
}
