import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconLink, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Administrator,
  administratorsQuery,
  deleteAdministrator,
  makeLink,
} from '../../api/administrators.ts';
import { AuditMenuItem } from '../../components/audit/audit-menu-item.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { useSession } from '../../session/session-context.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { shared } from '../../texts/shared.ts';
import { EditDialog } from './edit-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';

/** The actions for an administrator. */
export function AdministratorMenu({ administrator }: { administrator: Administrator }) {
  const { id, email, invited, enabled } = administrator;
  const name = administrator.name ?? email;
  const you = useSession().administrator.id === id;
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'link' | 'delete' | null>(null);
  const refresh = () => queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey });
  const link = useMutation({ mutationFn: () => makeLink(id), onSuccess: () => setOpen(null) });
  const remove = useMutation({
    mutationFn: () => deleteAdministrator(id),
    onSuccess: async () => {
      setOpen(null);
      notifyDone(texts.deleted(name));
      await refresh();
    },
  });
  const close = () => {
    setOpen(null);
    remove.reset();
    link.reset();
  };
  return (
    <>
      <Menu width={220}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.actionsFor(name)}>
            <IconDots size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setOpen('edit')}>
            {shared.edit}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconLink size={16} stroke={1.6} />}
            disabled={!enabled}
            onClick={() => setOpen('link')}
          >
            {invited ? texts.newInvitation : texts.newPassword}
          </Menu.Item>
          <AuditMenuItem type="ADMINISTRATOR" id={id} />
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            disabled={you}
            title={you ? texts.deleteDialog.yourself : undefined}
            onClick={() => setOpen('delete')}
          >
            {shared.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditDialog administrator={administrator} opened={open === 'edit'} onClose={close} />
      <ConfirmDialog
        opened={open === 'link'}
        title={texts.passwordDialog.title(invited)}
        confirmLabel={texts.passwordDialog.confirm}
        harmless
        pending={link.isPending}
        error={link.error}
        onConfirm={() => link.mutate()}
        onClose={close}
      >
        {invited ? texts.passwordDialog.invited(name) : texts.passwordDialog.description(name)}
      </ConfirmDialog>
      <ConfirmDialog
        opened={open === 'delete'}
        title={texts.deleteDialog.title(name)}
        confirmLabel={shared.delete}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={close}
      >
        {invited ? texts.deleteDialog.invited : texts.deleteDialog.description}
      </ConfirmDialog>
      <LinkDialog
        link={link.data ?? null}
        title={invited ? texts.link.invitation : texts.link.password}
        email={email}
        onClose={() => link.reset()}
      />
    </>
  );
}
