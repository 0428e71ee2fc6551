import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDots,
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ApiClient } from '../../api/clients.ts';
import { audit } from '../../texts/audit.ts';
import { clients as texts } from '../../texts/clients.ts';

/** The actions for a client. */
export type ClientAction = 'edit' | 'renew' | 'disable' | 'enable' | 'remove';

export function ClientMenu({
  client: { client_id: id, name, enabled },
  onAct,
}: {
  client: ApiClient;
  onAct: (action: ClientAction) => void;
}) {
  const Toggle = enabled ? IconPlayerPause : IconPlayerPlay;
  return (
    <Menu width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.actionsOf(name)}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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
        <Menu.Item
          leftSection={<IconHistory size={16} stroke={1.6} />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/administration/audit-log"
              search={{ object_type: 'API_CLIENT', object_id: id } as never}
            />
          )}
        >
          {audit.panel.action}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={() => onAct('remove')}
        >
          {texts.remove.action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
