import { Menu } from '@mantine/core';
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { MoreMenu } from '../../components/more-menu.tsx';
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
    <MoreMenu
      width={200}
      variant={isOwnPage ? 'default' : 'subtle'}
      color="gray"
      size={isOwnPage ? 36 : 30}
      label={accounts.actionsOf(account.name)}
      iconSize={18}
    >
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => onAct('rename', account)}>
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
    </MoreMenu>
  );
}
