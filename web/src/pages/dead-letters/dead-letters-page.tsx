import { Button, CloseButton } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { SUBTOPICS } from '../../../../src/events/catalogue.ts';
import { postbackFailureReason } from '../../../../src/webhooks/history/postback-failure.ts';
import {
  type DeadLetter,
  type DeadLetterAction,
  deadLetterListQuery,
  deadLettersKey,
  redeliverDeadLetter,
} from '../../api/dead-letters.ts';
import { fetchCurrent } from '../../api/query-client.ts';
import { newIdempotencyKey } from '../../api/request.ts';
import { webhookOverviewQuery, webhookQuery } from '../../api/webhooks.ts';
import { BusyButton } from '../../components/busy-button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useRedelivery } from '../../components/redelivery-dialog.tsx';
import { RowLink } from '../../components/row-link.tsx';
import { useSelection } from '../../components/selection/use-selection.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { type TableState, useTable } from '../../components/use-table.ts';
import { WebhooksAccessBadge } from '../../components/webhooks-access-badge.tsx';
import { OPENED_WITHIN, useCloseWithin } from '../../navigation/opened-within.ts';
import { useWebhooksReadOnly } from '../../session/session-context.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { listQuery, type TableSearch } from '../../utilities/table-search.ts';
import { DeliveryDrawer } from '../webhooks/history/delivery-drawer.tsx';
import { DeliverySubject } from '../webhooks/history/delivery-subject.tsx';
import { HistoryFilters } from '../webhooks/history/history-filters.tsx';
import { HISTORY_FILTERS, historyFilter, historySearch } from '../webhooks/history/history-search.ts';
import styles from './dead-letters.module.css';
import { furtherSearch } from './older-letters.ts';
import { useSelectedLetters } from './selected-letters.tsx';

const route = getRouteApi('/app/admin/administration/integrations/dead-letters');
const { columns: words } = deadLetters;

function columnsOf(readOnly: boolean): readonly Column<DeadLetter>[] {
  return [
    {
      id: 'event',
      label: words.event,
      card: 'title',
      width: '18rem',
      cell: (letter) => <EventCell letter={letter} />,
    },
    {
      id: 'webhook',
      label: words.webhook,
      width: '10rem',
      cell: (letter) => <WebhookCell letter={letter} />,
    },
    {
      id: 'error',
      label: words.error,
      cell: (letter) => (
        <span className={styles.error} title={letter.last_error_message ?? undefined}>
          <bdi>
            {letter.last_error_message === null
              ? deadLetters.notTried
              : postbackFailureReason(letter.last_error_message)}
          </bdi>
        </span>
      ),
    },
    {
      id: 'attempts',
      label: words.attempts,
      align: 'end',
      width: '5.5rem',
      cell: (letter) => formatNumber(letter.attempts),
    },
    {
      id: 'occurred',
      label: words.occurred,
      width: '7rem',
      cell: (letter) => <Time value={letter.enqueued_dt} format="clock" />,
    },
    {
      id: 'given',
      label: words.given,
      width: '7rem',
      cell: (letter) => <Time value={letter.dead_lettered_dt} format="clock" />,
    },
    ...(readOnly
      ? []
      : [
          {
            id: 'actions',
            label: deadLetters.resend,
            width: '7.5rem',
            card: 'actions' as const,
            cell: (letter: DeadLetter) => <ResendButton letter={letter} />,
          },
        ]),
  ];
}

/** The dead letters of all webhooks, or of one. */
export function DeadLettersPage() {
  const search = route.useSearch();
  const { webhook_id: webhookId, delivery, of: webhookOf, cursor } = search;
  const navigate = route.useNavigate();
  const readOnly = useWebhooksReadOnly();
  const table = useTable(['delivery', 'of']);
  const narrowed = historySearch({ ...search });
  const filter = historyFilter(narrowed);
  const isFiltered = Object.keys(filter).length > 0;
  const listed = { ...listQuery(pageOf(table.values)), ...filter };
  const query = useQuery(deadLetterListQuery(listed));
  const close = useCloseWithin(
    () =>
      void navigate({
        search: ({ delivery: _closed, of: _closedOf, ...others }) => others,
        replace: true,
        resetScroll: false,
      }),
  );
  const opened = useQuery({ ...webhookQuery(webhookOf ?? 0), enabled: webhookOf !== undefined });
  const { data: webhook } = useQuery({
    ...webhookOverviewQuery(webhookId ?? 0),
    enabled: webhookId !== undefined,
  });
  const redelivery = useRedelivery();
  const letters = query.data?.data ?? [];
  const selection = useSelection(letters, keyOf);
  const { data: page, isPlaceholderData } = query;
  const { limit: _limit, offset: _offset, ...list } = listed;
  const selected = useSelectedLetters(
    selection,
    page === undefined || isPlaceholderData ? undefined : { ...page, of: JSON.stringify(list) },
  );
  // A search is for single messages, so only the selected ones can be redelivered or removed.
  // Older ones that match may not have been examined.
  const mayHaveMatches = page !== undefined && (page.total > 0 || page.total_is_lower_bound === true);
  const mayActOnAll = !readOnly && search.search === undefined && (mayHaveMatches || cursor !== undefined);
  const at = letters.findIndex(({ id }) => id === delivery);
  const name = webhook?.name ?? deadLetters.deletedWebhook(webhookId ?? 0);
  const start = (action: DeadLetterAction) =>
    redelivery.ask({
      action,
      webhook: webhookId === undefined ? null : { id: webhookId, name },
      filter: isFiltered ? filterBody(filter) : null,
    });
  return (
    <>
      <PageHeader
        title={deadLetters.title}
        description={deadLetters.description}
        badges={<WebhooksAccessBadge />}
        actions={
          mayActOnAll && (
            <>
              <Button variant="default" onClick={() => start('remove')}>
                {actionLabel('remove', isFiltered, webhookId)}
              </Button>
              <Button variant="default" onClick={() => start('redeliver')}>
                {actionLabel('redeliver', isFiltered, webhookId)}
              </Button>
            </>
          )
        }
      />
      <DataTable
        label={deadLetters.label}
        columns={columnsOf(readOnly)}
        selecting={readOnly ? undefined : { selection, nameOf, actions: selected.buttons }}
        rowKey={keyOf}
        table={table}
        exporting={{
          name: 'dead-letters',
          list: (client, part) => fetchCurrent(client, deadLetterListQuery({ ...listed, ...part })),
          steadySort: null,
        }}
        query={query}
        further={furtherSearch(page, table)}
        searchLabel={deadLetters.search}
        filters={
          <>
            <HistoryFilters
              search={narrowed}
              subtopics={SUBTOPICS}
              onChange={(to) =>
                table.change({
                  ...Object.fromEntries(HISTORY_FILTERS.map((name) => [name, undefined])),
                  ...to,
                })
              }
            />
            {webhookId !== undefined && (
              <span className={styles.only}>
                <bdi>{deadLetters.onlyOf(name)}</bdi>
                <CloseButton
                  size="sm"
                  aria-label={deadLetters.showAll}
                  onClick={() => table.change({ webhook_id: undefined })}
                />
              </span>
            )}
            {cursor !== undefined && (
              <span className={styles.only}>
                {deadLetters.onlyOlder}
                <CloseButton
                  size="sm"
                  aria-label={deadLetters.showNewest}
                  onClick={() => table.change({ cursor: undefined })}
                />
              </span>
            )}
          </>
        }
        empty={
          <EmptyState
            icon={IconMailCheck}
            title={deadLetters.empty.title}
            description={deadLetters.empty.description}
          />
        }
      />
      {selected.dialog}
      <DeliveryDrawer
        webhookId={webhookOf ?? 0}
        deliveryId={webhookOf === undefined ? null : (delivery ?? null)}
        webhook={opened.error === null ? (opened.data?.record ?? null) : null}
        neighbours={{
          previous: letters[at - 1]?.id ?? null,
          next: at < 0 ? null : (letters[at + 1]?.id ?? null),
        }}
        onOpen={(to) =>
          void navigate({
            search: ((current: object) => ({
              ...current,
              delivery: to,
              of: letters.find(({ id }) => id === to)?.webhook_id,
            })) as never,
            replace: true,
            state: (current) => current,
            resetScroll: false,
          })
        }
        onClose={close}
      />
      {redelivery.dialog}
    </>
  );
}

/** The members of the address that the list itself uses. */
function pageOf(values: TableState['values']): TableSearch & Record<string, unknown> {
  const { delivery: _delivery, of: _of, ...others } = values;
  const own = Object.entries(others).filter(
    ([name]) => !(HISTORY_FILTERS as readonly string[]).includes(name),
  );
  return Object.fromEntries(own);
}

/** In a body, repeatable query parameters are lists. */
function filterBody({ subtopic, response_status: status, ...others }: ReturnType<typeof historyFilter>) {
  return {
    ...others,
    ...(subtopic === undefined ? {} : { subtopic: [subtopic] }),
    ...(status === undefined ? {} : { response_status: [status] }),
  };
}

function actionLabel(action: DeadLetterAction, isFiltered: boolean, webhookId: number | undefined): string {
  const { actionOfMatching, action: ofAll, actionOfOne } = deadLetters.runs[action];
  if (isFiltered) return actionOfMatching;
  return webhookId === undefined ? ofAll : actionOfOne;
}

function keyOf({ id }: DeadLetter): number {
  return id;
}

function nameOf({ subtopic, id }: DeadLetter): string {
  return deadLetters.open(webhooks.subtopics[subtopic].name, id);
}

function EventCell({ letter }: { letter: DeadLetter }) {
  return (
    <div className={styles.event}>
      <EventLink letter={letter} event={webhooks.subtopics[letter.subtopic].name} />
      <div className={styles.subject}>
        <DeliverySubject about={letter.about} />
      </div>
    </div>
  );
}

function EventLink({ letter, event }: { letter: DeadLetter; event: string }) {
  return (
    <RowLink
      from="/administration/integrations/dead-letters"
      to="."
      // The route validates its members of the address.
      search={((current: object) => ({ ...current, delivery: letter.id, of: letter.webhook_id })) as never}
      state={OPENED_WITHIN}
      resetScroll={false}
      aria-label={deadLetters.open(event, letter.id)}
    >
      {event}
    </RowLink>
  );
}

function WebhookCell({ letter }: { letter: DeadLetter }) {
  const name = letter.webhook_name ?? deadLetters.deletedWebhook(letter.webhook_id);
  return (
    <span className={styles.webhook}>
      {letter.webhook_deleted ? (
        <bdi>{name}</bdi>
      ) : (
        <Link
          to="/administration/integrations/webhooks/$webhookId"
          params={{ webhookId: letter.webhook_id }}
          className={styles.link}
        >
          <bdi>{name}</bdi>
        </Link>
      )}
      {letter.webhook_deleted ? (
        <StatusBadge tone="quiet">{deadLetters.deleted}</StatusBadge>
      ) : (
        !letter.webhook_enabled && <StatusBadge tone="quiet">{deadLetters.inactive}</StatusBadge>
      )}
    </span>
  );
}

function ResendButton({ letter }: { letter: DeadLetter }) {
  const queryClient = useQueryClient();
  // One key, so that a second click, or a retry after a lost response, does nothing twice.
  const key = useRef('');
  const send = useMutation({
    mutationFn: () => {
      if (key.current === '') key.current = newIdempotencyKey();
      return redeliverDeadLetter(letter, key.current);
    },
    onSuccess: (wasDead) => {
      // If the message is a dead letter again, it can be sent again.
      key.current = '';
      notifyDone(wasDead ? deadLetters.resent : deadLetters.notResent);
    },
    onError: notifyError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: deadLettersKey }),
  });
  const cannot = letter.webhook_deleted
    ? deadLetters.cannot.deleted
    : letter.webhook_enabled
      ? undefined
      : deadLetters.cannot.inactive;
  return (
    <BusyButton
      variant="default"
      size="compact-sm"
      onClick={() => send.mutate()}
      isBusy={send.isPending}
      disabled={cannot !== undefined}
      title={cannot}
      aria-label={deadLetters.resendOf(webhooks.subtopics[letter.subtopic].name, letter.id)}
    >
      {deadLetters.resend}
    </BusyButton>
  );
}
