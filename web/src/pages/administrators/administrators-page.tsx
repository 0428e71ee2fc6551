import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Administrator, administratorsQuery, deleteAdministrator } from '../../api/administrators.ts';
import { LIST_MS, polling } from '../../api/polling.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useBulkDelete } from '../../components/selection/use-bulk-delete.tsx';
import { useSelection } from '../../components/selection/use-selection.ts';
import { ShortList } from '../../components/short-list.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { useSession } from '../../session/session-context.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { navigation } from '../../texts/navigation.ts';
import { shared } from '../../texts/shared.ts';
import { AdministratorMenu } from './administrator-menu.tsx';
import styles from './administrators.module.css';
import { InviteDialog } from './invite-dialog.tsx';
import { useAdministratorActions } from './use-administrator-actions.tsx';

const keyOf = ({ id }: Administrator) => id;
const nameOf = ({ name, email }: Administrator) => name ?? email;

const COLUMNS: readonly Column<Administrator>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    card: 'title',
    cell: (row) => <Who administrator={row} />,
  },
  {
    id: 'role',
    label: texts.columns.role,
    width: '15%',
    cell: ({ role }) => navigation.roles[role],
  },
  {
    id: 'state',
    label: texts.columns.state,
    width: '12%',
    cell: (row) => <State administrator={row} />,
  },
  {
    id: 'signed-in',
    label: texts.columns.lastSignIn,
    width: '16%',
    cell: ({ last_sign_in_dt }) => <Time value={last_sign_in_dt} />,
  },
  {
    id: 'created',
    isSpare: true,
    label: texts.columns.created,
    width: '16%',
    cell: ({ created_dt }) => <Time value={created_dt} />,
  },
];

/** The people who may sign in: invite, change, delete. */
export function AdministratorsPage() {
  const query = useQuery({ ...administratorsQuery, ...polling(LIST_MS) });
  const [inviting, setInviting] = useState(false);
  const { act, dialogs } = useAdministratorActions();
  const queryClient = useQueryClient();
  const selection = useSelection(query.data ?? [], keyOf, { isWhole: true });
  const remove = useBulkDelete(selection, {
    words: texts.deleteDialog.many,
    nameOf,
    description: () => texts.deleteDialog.manyDescription,
    act: ({ id }) => deleteAdministrator(id),
    onEnd: () => queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey }),
  });
  const columns: readonly Column<Administrator>[] = [
    ...COLUMNS,
    {
      id: 'actions',
      label: shared.actions,
      width: '4rem',
      align: 'end',
      card: 'actions',
      cell: (row) => <AdministratorMenu administrator={row} onAct={(action) => act(action, row)} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button leftSection={<IconUserPlus size={16} stroke={1.8} />} onClick={() => setInviting(true)}>
            {texts.invite}
          </Button>
        }
      />
      <ShortList
        label={texts.title}
        columns={columns}
        query={query}
        rowKey={keyOf}
        selecting={{ selection, nameOf, actions: remove.button }}
        exportName="administrators"
      />
      {remove.dialog}
      {dialogs}
      <InviteDialog opened={inviting} onClose={() => setInviting(false)} />
    </>
  );
}

function Who({ administrator: { id, name, email } }: { administrator: Administrator }) {
  const you = useSession().administrator.id === id;
  return (
    <div className={styles.who}>
      <div className={styles.name}>
        <bdi>{name ?? email}</bdi>
        {you && <StatusBadge tone="info">{shared.you}</StatusBadge>}
      </div>
      <div className={styles.email}>{name === null ? texts.unnamed : <bdi>{email}</bdi>}</div>
    </div>
  );
}

function State({ administrator: { enabled, invited } }: { administrator: Administrator }) {
  if (!enabled) return <StatusBadge tone="quiet">{texts.states.disabled}</StatusBadge>;
  if (invited) return <StatusBadge tone="warn">{texts.states.invited}</StatusBadge>;
  return <StatusBadge tone="good">{texts.states.active}</StatusBadge>;
}
