import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountsKey, setAccountEnabled } from '../../api/accounts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { accounts } from '../../texts/accounts.ts';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { RenameAccountDialog } from './rename-account-dialog.tsx';

/** The actions for an account, on every page that shows it. For administrators. */
export function AccountMenu({
  account,
  leaveWhenDeleted = false,
}: {
  account: { id: number; name: string; enabled: boolean };
  /** Whether the page is the page of the account. */
  leaveWhenDeleted?: boolean;
}) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const [open, setOpen] = useState<'rename' | 'activation' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const activation = useFormMutation(
    {
      mutationFn: (enabled: boolean) => setAccountEnabled(account.id, enabled),
      onSuccess: async ({ name, enabled }) => {
        // Another dialog may be open by now.
        setOpen((now) => (now === 'activation' ? null : now));
        notifyDone((enabled ? accounts.activate : accounts.deactivate).done(name));
        await queryClient.invalidateQueries({ queryKey: accountsKey });
      },
    },
    open === 'activation',
  );
  // The action that was confirmed is carried out, even if someone else has changed the account in the meantime.
  const [asked, setAsked] = useState(!account.enabled);
  const words = asked ? accounts.activate : accounts.deactivate;
  return (
    <>
      <Menu width={200}>
        <Menu.Target>
          <ActionIcon
            variant={leaveWhenDeleted ? 'default' : 'subtle'}
            color="gray"
            size={leaveWhenDeleted ? 36 : 30}
            aria-label={accounts.actionsOf(account.name)}
          >
            <IconDots size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setOpen('rename')}>
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
            onClick={() => {
              activation.reset();
              setAsked(!account.enabled);
              setOpen('activation');
            }}
          >
            {account.enabled ? accounts.deactivate.action : accounts.activate.action}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            onClick={() => setOpen('delete')}
          >
            {accounts.remove.action}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameAccountDialog account={account} opened={open === 'rename'} onClose={close} />
      <ConfirmDialog
        opened={open === 'activation'}
        title={words.title(account.name)}
        confirmLabel={words.confirm}
        harmless
        pending={activation.isPending}
        error={activation.error}
        onConfirm={() => activation.mutate(asked)}
        onClose={close}
      >
        {words.description} {accounts.activationEvent}
      </ConfirmDialog>
      <DeleteAccountDialog
        account={account}
        opened={open === 'delete'}
        onClose={close}
        onDeleted={async () => {
          close();
          if (leaveWhenDeleted) await leave({ to: '/accounts' });
        }}
      />
    </>
  );
}
