import { Menu } from '@mantine/core';
import { IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import type { ApiClient } from '../../api/clients.ts';
import { AuditMenuItem } from '../../components/audit/audit-menu-item.tsx';
import { MoreMenu } from '../../components/more-menu.tsx';
import { clients as texts } from '../../texts/clients.ts';

/** The actions for a client. */
export type ClientAction = 'edit' | 'renew' | 'disable' | 'enable' | 'remove';

/** The menu of a client in the list. */
export function ClientMenu({
  client: { client_id: id, name, enabled },
  onAct,
}: {
  client: ApiClient;
  onAct: (action: ClientAction) => void;
}) {
  const Toggle = enabled ? IconPlayerPause : IconPlayerPlay;
  return (
    <MoreMenu width={200} variant="subtle" color="gray" label={texts.actionsOf(name)} size="md" iconSize={18}>
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => onAct('edit')}>
        {texts.edit.action}
      </Menu.Item>
      <Menu.Item leftSection={<IconKey size={16} stroke={1.6} />} onClick={() => onAct('renew')}>
        {texts.renew.action}
      </Menu.Item>
      <Menu.Item
        leftSection={<Toggle size={16} stroke={1.6} />}
        onClick={() => onAct(enabled ? 'disable' : 'enable')}
      >
        {enabled ? texts.disable.action : texts.enable.action}
      </Menu.Item>
      <AuditMenuItem search={{ object_type: 'API_CLIENT', object_id: id }} />
      <Menu.Divider />
      <Menu.Item
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        onClick={() => onAct('remove')}
      >
        {texts.remove.action}
      </Menu.Item>
    </MoreMenu>
  );
}
