import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { uiBase } from '../../api/addresses.ts';
import { LIST_MS, polling } from '../../api/polling.ts';
import { endAllSessions, endSession, type OwnSession, ownSessionsQuery } from '../../api/profile.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataRows } from '../../components/data-rows.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useQuestion } from '../../components/use-question.ts';
import { shared } from '../../texts/shared.ts';
import { account } from '../../texts/sign-in.ts';
import { useIsShown } from '../../utilities/use-is-shown.ts';
import styles from './profile.module.css';

const texts = account.profile;
const PLACEHOLDER_ROWS = 2;

/** The viewer's sessions, with buttons to end one or all of them. */
export function SessionsPanel() {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({ ...ownSessionsQuery, ...polling(LIST_MS) });
  const { asked, isOpen, ask, close } = useQuestion<'end' | 'end-all', OwnSession | null>(
    (session) => session?.id,
  );
  const chosen = asked?.of ?? null;
  const isAsking = useIsShown(isOpen('end') || isOpen('end-all'));
  const everywhere = useRef<HTMLButtonElement>(null);
  const end = useFormMutation(
    {
      mutationFn: ({ id }: OwnSession) => endSession(id),
      onSuccess: async (_nothing, session) => {
        close('end', session);
        notifyDone(texts.end.done);
        await queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey });
        // The button that had the focus was removed with its row.
        if (!isAsking()) everywhere.current?.focus();
      },
    },
    isOpen('end'),
  );
  const endAll = useFormMutation(
    {
      mutationFn: endAllSessions,
      onSuccess: () => window.location.assign(new URL('sign-in', uiBase())),
    },
    isOpen('end-all'),
  );
  const columns = columnsOf((session) => {
    end.reset();
    ask('end', session);
  });
  return (
    <Panel
      title={texts.sessions}
      description={texts.sessionsDescription}
      flush
      actions={
        <Button
          variant="default"
          size="xs"
          ref={everywhere}
          onClick={() => {
            endAll.reset();
            ask('end-all', null);
          }}
        >
          {texts.everywhere}
        </Button>
      }
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <DataRows
          label={texts.sessions}
          columns={columns}
          rows={data}
          rowKey={({ id }) => id}
          placeholderRows={PLACEHOLDER_ROWS}
        />
      )}
      <ConfirmDialog
        opened={isOpen('end')}
        title={texts.end.question}
        confirmLabel={texts.end.confirm}
        pending={end.isPending}
        error={end.error}
        onConfirm={() => chosen !== null && end.mutate(chosen)}
        onClose={() => close('end', chosen)}
      >
        {chosen !== null && texts.end.description(chosen.browser, chosen.address)}
      </ConfirmDialog>
      <ConfirmDialog
        opened={isOpen('end-all')}
        title={texts.everywhereQuestion}
        confirmLabel={texts.everywhere}
        pending={endAll.isPending || endAll.isSuccess}
        error={endAll.error}
        onConfirm={() => endAll.mutate()}
        onClose={() => close('end-all', null)}
      >
        {texts.everywhereDescription}
      </ConfirmDialog>
    </Panel>
  );
}

function columnsOf(onEnd: (session: OwnSession) => void): readonly Column<OwnSession>[] {
  return [
    {
      id: 'browser',
      label: texts.browser,
      card: 'title',
      cell: ({ browser, current }) => (
        <span className={styles.browser}>
          {browser}
          {current && <StatusBadge tone="good">{texts.thisOne}</StatusBadge>}
        </span>
      ),
    },
    {
      id: 'address',
      label: texts.address,
      width: '20%',
      cell: ({ address }) => <span className={styles.address}>{address ?? '–'}</span>,
    },
    {
      id: 'created',
      label: texts.signedIn,
      width: '21%',
      cell: ({ created_dt }) => <Time value={created_dt} format="absolute" />,
    },
    {
      id: 'seen',
      label: texts.lastSeen,
      width: '18%',
      cell: ({ last_seen_dt }) => <Time value={last_seen_dt} />,
    },
    {
      id: 'actions',
      label: shared.actions,
      width: '5rem',
      align: 'end',
      card: 'actions',
      // The current session is ended by signing out, in the user menu.
      cell: (session) =>
        !session.current && (
          <Button
            variant="default"
            size="xs"
            aria-label={texts.end.actionFor(session.browser)}
            onClick={() => onEnd(session)}
          >
            {texts.end.action}
          </Button>
        ),
    },
  ];
}
