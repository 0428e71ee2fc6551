import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { accounts } from '../../texts/accounts.ts';
import type { AccountToChange, ActOnAccount } from './use-account-actions.tsx';

/** The actions for an account, on every page that shows it. For administrators. */
export function AccountMenu({
  account,
  onAct,
  isOwnPage = false,
}: {
  account: AccountToChange;
  onAct: ActOnAccount;
  /** Whether the page is the page of the account. */
  isOwnPage?: boolean;
}) {
  return (
    <Menu width={200}>
      <Menu.Target>
        <ActionIcon
          variant={isOwnPage ? 'default' : 'subtle'}
          color="gray"
          size={isOwnPage ? 36 : 30}
          aria-label={accounts.actionsOf(account.name)}
        >
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPencil size={16} stroke={1.6} />}
          onClick={() => onAct('rename', account)}
        >
          {accounts.rename.action}
        </Menu.Item>
        <Menu.Item
          leftSection={
            account.enabled ? (
              <IconPlayerPause size={16} stroke={1.6} />
            ) : (
              <IconPlayerPlay size={16} stroke={1.6} />
            )
          }
          onClick={() => onAct(account.enabled ? 'deactivate' : 'activate', account)}
        >
          {account.enabled ? accounts.deactivate.action : accounts.activate.action}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={() => onAct('delete', account)}
        >
          {accounts.remove.action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
