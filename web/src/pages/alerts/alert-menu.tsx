import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconPower, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Alert, alertsKey, deleteAlert, switchAlert } from '../../api/alerts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';

/** The actions on an alert rule. */
export function AlertMenu({ alert, leaveWhenDeleted = false }: { alert: Alert; leaveWhenDeleted?: boolean }) {
  const { id, name, enabled } = alert;
  const queryClient = useQueryClient();
  const leave = useLeave();
  const [deleting, setDeleting] = useState(false);
  const refresh = () => queryClient.invalidateQueries({ queryKey: alertsKey });
  const change = useMutation({
    mutationFn: () => switchAlert(id, !enabled),
    onSuccess: (saved) => notifyDone(texts.switched(saved.name, saved.enabled)),
    onError: notifyError,
    onSettled: refresh,
  });
  const remove = useFormMutation(
    {
      mutationFn: () => deleteAlert(id),
      onSuccess: async () => {
        setDeleting(false);
        notifyDone(texts.remove.done(name));
        if (leaveWhenDeleted) await leave({ to: '/administration/alerts' });
        await refresh();
      },
    },
    deleting,
  );
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={leaveWhenDeleted ? 36 : 30} aria-label={texts.menu.of(name)}>
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={16} stroke={1.6} />}
            renderRoot={(props) => (
              <Link to="/administration/alerts/$alertId/edit" params={{ alertId: id }} {...props} />
            )}
          >
            {shared.edit}
          </Menu.Item>
          <Menu.Item leftSection={<IconPower size={16} stroke={1.6} />} onClick={() => change.mutate()}>
            {enabled ? texts.menu.disable : texts.menu.enable}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            onClick={() => {
              remove.reset();
              setDeleting(true);
            }}
          >
            {shared.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={deleting}
        title={texts.remove.title(name)}
        confirmLabel={shared.delete}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setDeleting(false)}
      >
        {texts.remove.description}
      </ConfirmDialog>
    </>
  );
}
