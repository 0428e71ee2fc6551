import { Menu } from '@mantine/core';
import { IconLink, IconPencil, IconTrash } from '@tabler/icons-react';
import type { Administrator } from '../../api/administrators.ts';
import { AuditMenuItem } from '../../components/audit/audit-menu-item.tsx';
import { MoreMenu } from '../../components/more-menu.tsx';
import { useSession } from '../../session/session-context.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { shared } from '../../texts/shared.ts';

/** What can be done with an administrator. */
export type AdministratorAction = 'edit' | 'link' | 'delete';

/** The actions for an administrator. */
export function AdministratorMenu({
  administrator: { id, name, email, invited, enabled },
  onAct,
}: {
  administrator: Administrator;
  onAct: (action: AdministratorAction) => void;
}) {
  const you = useSession().administrator.id === id;
  return (
    <MoreMenu
      width={220}
      variant="subtle"
      color="gray"
      label={texts.actionsFor(name ?? email)}
      size="md"
      iconSize={18}
    >
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => onAct('edit')}>
        {shared.edit}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconLink size={16} stroke={1.6} />}
        disabled={!enabled}
        onClick={() => onAct('link')}
      >
        {invited ? texts.newInvitation : texts.newPassword}
      </Menu.Item>
      {!invited && <AuditMenuItem search={{ user: email }} label={texts.actionsBy} />}
      <AuditMenuItem
        search={{ object_type: 'ADMINISTRATOR', object_id: String(id) }}
        label={texts.changesTo}
      />
      <Menu.Divider />
      <Menu.Item
        color="red"
        leftSection={<IconTrash size={16} stroke={1.6} />}
        disabled={you}
        title={you ? texts.deleteDialog.yourself : undefined}
        onClick={() => onAct('delete')}
      >
        {shared.delete}
      </Menu.Item>
    </MoreMenu>
  );
}
