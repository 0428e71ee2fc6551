import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { uiBase } from '../../api/addresses.ts';
import { LIST_MS, polling } from '../../api/polling.ts';
import { endAllSessions, type OwnSession, ownSessionsQuery } from '../../api/profile.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataRows } from '../../components/data-rows.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { account } from '../../texts/account.ts';
import styles from './profile.module.css';

const texts = account.profile;
const PLACEHOLDER_ROWS = 2;

const COLUMNS: readonly Column<OwnSession>[] = [
  {
    id: 'browser',
    label: texts.browser,
    card: 'title',
    cell: ({ browser, current }) => (
      <span className={styles.browser}>
        {browser === '' ? texts.unknownBrowser : browser}
        {current && <StatusBadge tone="good">{texts.thisOne}</StatusBadge>}
      </span>
    ),
  },
  {
    id: 'created',
    label: texts.signedIn,
    width: '24%',
    cell: ({ created_dt }) => <Time value={created_dt} format="absolute" />,
  },
  {
    id: 'seen',
    label: texts.lastSeen,
    width: '22%',
    cell: ({ last_seen_dt }) => <Time value={last_seen_dt} />,
  },
];

/** Where the viewer is signed in, and a way to end all of it. */
export function SessionsPanel() {
  const { data, error, refetch } = useQuery({ ...ownSessionsQuery, ...polling(LIST_MS) });
  const [asking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: endAllSessions,
    onSuccess: () => window.location.assign(new URL('sign-in', uiBase())),
  });
  return (
    <Panel
      title={texts.sessions}
      description={texts.sessionsDescription}
      flush
      actions={
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          {texts.everywhere}
        </Button>
      }
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <DataRows
          label={texts.sessions}
          columns={COLUMNS}
          rows={data}
          rowKey={({ id }) => id}
          placeholderRows={PLACEHOLDER_ROWS}
        />
      )}
      <ConfirmDialog
        opened={asking}
        title={texts.everywhereQuestion}
        confirmLabel={texts.everywhere}
        pending={end.isPending || end.isSuccess}
        error={end.error}
        onConfirm={() => end.mutate()}
        onClose={() => setAsking(false)}
      >
        {texts.everywhereDescription}
      </ConfirmDialog>
    </Panel>
  );
}
