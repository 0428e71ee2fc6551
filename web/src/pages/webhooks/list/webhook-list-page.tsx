import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { TOPICS } from '../../../../../src/events/catalogue.ts';
import { WEBHOOK_STATES } from '../../../../../src/ui-api/webhooks/webhook-list-choices.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import type { WebhookOverview } from '../../../api/webhook-records.ts';
import { deleteWebhook, webhookListQuery, webhooksKey } from '../../../api/webhooks.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { useBulkDelete } from '../../../components/selection/use-bulk-delete.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import type { Column } from '../../../components/table-columns.ts';
import { TableFilter } from '../../../components/table-filter.tsx';
import { Time } from '../../../components/time.tsx';
import { useTable } from '../../../components/use-table.ts';
import { WebhooksAccessBadge } from '../../../components/webhooks-access-badge.tsx';
import { useMay, useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { listQuery } from '../../../utilities/table-search.ts';
import { type ActOnWebhook, useWebhookActions } from '../use-webhook-actions.tsx';
import { WebhookMenu } from '../webhook-menu.tsx';
import { ActiveCell, NameCell, SuccessCell, TargetCell, TopicCell } from './webhook-cells.tsx';
import styles from './webhook-list.module.css';

const { columns: words } = webhooks.list;

function columnsOf(act: ActOnWebhook, readOnly: boolean): readonly Column<WebhookOverview>[] {
  return [
    {
      id: 'name',
      label: words.name,
      sort: 'name',
      card: 'title',
      cell: (webhook) => <NameCell webhook={webhook} />,
    },
    { id: 'topic', label: words.topic, cell: (webhook) => <TopicCell webhook={webhook} /> },
    { id: 'target', isSpare: true, label: words.target, cell: (webhook) => <TargetCell webhook={webhook} /> },
    {
      id: 'active',
      label: words.active,
      width: '6rem',
      cell: (webhook) => <ActiveCell webhook={webhook} onAct={act} />,
    },
    {
      id: 'successes',
      isSpare: true,
      label: words.successes,
      sort: 'success_count',
      firstDirection: 'desc',
      align: 'end',
      cell: (webhook) => <SuccessCell webhook={webhook} />,
    },
    {
      id: 'failures',
      label: words.failures,
      sort: 'error_count',
      firstDirection: 'desc',
      align: 'end',
      cell: (webhook) => (
        <span className={webhook.error_count > 0 ? styles.failures : undefined}>
          {formatNumber(webhook.error_count)}
        </span>
      ),
    },
    {
      id: 'depth',
      label: words.depth,
      sort: 'depth',
      firstDirection: 'desc',
      align: 'end',
      cell: (webhook) => (
        <span className={webhook.depth > 0 ? styles.waiting : undefined}>{formatNumber(webhook.depth)}</span>
      ),
    },
    {
      id: 'last_activity',
      isSpare: true,
      label: words.lastActivity,
      sort: 'last_activity',
      firstDirection: 'desc',
      cell: (webhook) => <Time value={webhook.last_activity_dt} />,
    },
    ...(readOnly
      ? []
      : [
          {
            id: 'actions',
            label: webhooks.list.actions,
            width: '3.5rem',
            card: 'actions' as const,
            cell: (webhook: WebhookOverview) => <WebhookMenu webhook={webhook} onAct={act} />,
          },
        ]),
  ];
}

/** All webhooks. */
export function WebhookListPage() {
  const readOnly = useWebhooksReadOnly();
  const table = useTable();
  const query = useQuery(webhookListQuery(listQuery(table.values)));
  const queryClient = useQueryClient();
  const rows = query.data?.data ?? [];
  const selection = useSelection(rows, ({ id }) => id);
  const actions = useWebhookActions({ latest: rows });
  const nameOf = ({ name }: WebhookOverview) => name;
  /** What is said about the messages that wait for webhooks; null if there are none. */
  const waitingOf = (asked: readonly WebhookOverview[]): string | null => {
    const shown = new Set(rows.map(({ id }) => id));
    const depths = asked.map((webhook) => (selection.chosen.get(webhook.id) ?? webhook).depth);
    const waiting = depths.reduce((sum, depth) => sum + depth, 0);
    // Only the visible webhooks are read again.
    if (asked.some(({ id }) => !shown.has(id)))
      return webhooks.remove.manyWaitingSince(formatNumber(waiting));
    return waiting === 0 ? null : webhooks.remove.manyWaiting(formatNumber(waiting));
  };
  const remove = useBulkDelete(selection, {
    words: webhooks.remove.many,
    nameOf,
    description: (asked) => {
      const waiting = waitingOf(asked);
      return (
        <>
          {waiting !== null && <p>{waiting}</p>}
          <p>{webhooks.remove.manyDescription}</p>
        </>
      );
    },
    typed: (asked) => waitingOf(asked) !== null,
    act: ({ id }) => deleteWebhook(id),
    onEnd: () => queryClient.invalidateQueries({ queryKey: webhooksKey }),
  });
  const add = useMay()('webhooks:write') && (
    <ButtonLink
      leftSection={<IconPlus size={16} stroke={1.8} />}
      to="/administration/integrations/webhooks/new"
    >
      {query.data?.total === 0 && !table.narrowed ? webhooks.list.empty.action : webhooks.add}
    </ButtonLink>
  );
  const isEmpty = query.data?.total === 0 && !table.narrowed;
  return (
    <>
      <PageHeader
        title={webhooks.title}
        description={webhooks.description}
        badges={<WebhooksAccessBadge />}
        actions={!isEmpty && add}
      />
      <DataTable
        label={webhooks.list.label}
        columns={columnsOf(actions.act, readOnly)}
        rowKey={({ id }) => id}
        table={table}
        exporting={{
          name: 'webhooks',
          list: (client, part) =>
            fetchCurrent(client, webhookListQuery({ ...listQuery(table.values), ...part })),
          steadySort: 'created',
        }}
        query={query}
        searchLabel={webhooks.list.search}
        filters={
          <>
            <TableFilter
              table={table}
              name="topic"
              label={webhooks.list.topic}
              options={TOPICS.map((value) => ({ value, label: webhooks.topics[value].name }))}
            />
            <TableFilter
              table={table}
              name="state"
              label={webhooks.list.state}
              options={WEBHOOK_STATES.map((value) => ({ value, label: webhooks.list.states[value] }))}
            />
          </>
        }
        selecting={readOnly ? undefined : { selection, nameOf, actions: remove.button }}
        empty={
          <EmptyState
            icon={IconWebhook}
            title={webhooks.list.empty.title}
            description={webhooks.list.empty.description}
            action={add}
          />
        }
      />
      {remove.dialog}
      {actions.dialogs}
    </>
  );
}
