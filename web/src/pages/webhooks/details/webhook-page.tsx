import { Button, Tabs } from '@mantine/core';
import { IconPencil, IconPlugOff, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { deliveriesQuery } from '../../../api/deliveries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { webhookOverviewQuery, webhookQuery } from '../../../api/webhooks.ts';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { WebhooksAccessBadge } from '../../../components/webhooks-access-badge.tsx';
import { useCloseWithin } from '../../../navigation/opened-within.ts';
import { usePageName } from '../../../navigation/page-name.ts';
import { useMay, useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { DeliveryDrawer } from '../history/delivery-drawer.tsx';
import { HistoryPanel } from '../history/history-panel.tsx';
import { historyFilter } from '../history/history-search.ts';
import { ReplayDialog } from '../replay/replay-dialog.tsx';
import { StateBadge } from '../state-badge.tsx';
import { useWebhookActions } from '../use-webhook-actions.tsx';
import { WaitingDrawer } from '../waiting/waiting-drawer.tsx';
import { WaitingPanel } from '../waiting/waiting-panel.tsx';
import { WebhookMenu } from '../webhook-menu.tsx';
import { ConfigurationPanel } from './configuration-panel.tsx';
import { DETAIL_TABS, type DetailsSearch, type DetailTab } from './details-search.ts';
import { ErrorPanel } from './error-panel.tsx';
import { LinePanel } from './line-panel.tsx';
import { StatisticsPanel } from './statistics-panel.tsx';
import { StoppedPanel } from './stopped-panel.tsx';
import { TestDialog } from './test-dialog.tsx';
import { TrendPanel } from './trend-panel.tsx';
import styles from './webhook-page.module.css';

const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');

/**
 * The page of a webhook. A dialog that is open for one webhook must not act on the next one, so each webhook has its
 * own state.
 */
export function WebhookPage() {
  const { webhookId } = route.useParams();
  return <PageOf key={webhookId} webhookId={webhookId} />;
}

function PageOf({ webhookId }: { webhookId: number }) {
  const search = route.useSearch();
  const { delivery, waiting } = search;
  const navigate = route.useNavigate();
  const neighbours = useNeighbours(webhookId, search);
  const read = useQuery(webhookQuery(webhookId));
  const close = useCloseWithin(
    () =>
      void navigate({
        search: ({ delivery: _closed, waiting: _closedWaiting, ...others }) => others,
        replace: true,
        resetScroll: false,
      }),
  );
  const record = read.data?.record;
  const gone = useIsMissing(webhookId, read);
  return (
    <>
      {gone ? (
        <DeletedWebhook webhookId={webhookId} />
      ) : record !== undefined ? (
        <Details record={record} />
      ) : (
        <Unread query={read} />
      )}
      <DeliveryDrawer
        webhookId={webhookId}
        deliveryId={delivery ?? null}
        webhook={gone ? null : (record ?? null)}
        neighbours={neighbours}
        onOpen={(to) =>
          void navigate({
            search: (current) => ({ ...current, delivery: to }),
            replace: true,
            state: (current) => current,
            resetScroll: false,
          })
        }
        onClose={close}
      />
      {!gone && (
        <WaitingDrawer
          webhookId={webhookId}
          position={waiting ?? null}
          webhook={record ?? null}
          onClose={close}
        />
      )}
    </>
  );
}

/** The deliveries before and after the open one, as the history lists them. */
function useNeighbours(webhookId: number, search: DetailsSearch) {
  const { tab, outcome, cursor, delivery } = search;
  const { data } = useQuery({
    ...deliveriesQuery(webhookId, { outcome, cursor, filter: historyFilter(search) }),
    enabled: tab === 'history' && delivery !== undefined && Number.isSafeInteger(webhookId),
  });
  const ids = (data?.data ?? []).map(({ id }) => id);
  const at = delivery === undefined ? -1 : ids.indexOf(delivery);
  return { previous: (at < 0 ? null : ids[at - 1]) ?? null, next: (at < 0 ? null : ids[at + 1]) ?? null };
}

function Details({ record }: { record: WebhookRecord }) {
  const { tab: asked = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const readOnly = useWebhooksReadOnly();
  const mayReadChanges = useMay()('audit:read');
  const tabs = DETAIL_TABS.filter((each) => each !== 'changes' || mayReadChanges);
  // Someone else's link may be to a tab that this person does not have.
  const tab = tabs.includes(asked) ? asked : 'overview';
  const [testing, setTesting] = useState(false);
  const [replaying, setReplaying] = useState<{ since: string | null } | null>(null);
  const { data: overview } = useQuery(webhookOverviewQuery(record.id));
  const { id, name, enabled, paused } = record;
  const webhook = { id, name, enabled, paused, depth: overview?.depth ?? 0 };
  const actions = useWebhookActions({ latest: [webhook], leaveWhenDeleted: true });
  usePageName(name);
  const openTab = (to: string | null) => {
    if (!isTab(to)) return;
    void navigate({ search: to === 'overview' ? {} : { tab: to }, resetScroll: false });
  };
  return (
    <>
      <PageHeader
        title={<bdi>{record.name}</bdi>}
        back={{ link: { to: '/administration/integrations/webhooks' }, label: webhooks.title }}
        badges={
          <>
            {record.in_error && <StatusBadge tone="bad">{webhooks.states.inError}</StatusBadge>}
            <StateBadge enabled={record.enabled} paused={record.paused} />
            <WebhooksAccessBadge />
          </>
        }
        description={
          <span className={styles.cut} title={record.target_url}>
            {webhooks.topics[record.topic].name} · {record.target_url}
          </span>
        }
        actions={
          !readOnly && (
            <>
              <WebhookMenu
                webhook={webhook}
                onAct={actions.act}
                isOwnPage
                onReplay={() => setReplaying({ since: record.inactive_since_dt })}
                disabled={overview === undefined}
              />
              <Button
                variant="default"
                leftSection={<IconSend size={16} stroke={1.6} />}
                onClick={() => setTesting(true)}
              >
                {webhookDetails.test}
              </Button>
              <ButtonLink
                variant="default"
                leftSection={<IconPencil size={16} stroke={1.6} />}
                to="/administration/integrations/webhooks/$webhookId/edit"
                params={{ webhookId: record.id }}
              >
                {webhookDetails.edit}
              </ButtonLink>
            </>
          )
        }
      />
      {actions.dialogs}
      <StoppedPanel
        webhook={record}
        depth={overview?.depth}
        pending={actions.pending}
        onAct={(action) => actions.act(action, webhook)}
        onReplay={(since) => setReplaying({ since })}
      />
      <Tabs value={tab} onChange={openTab} keepMounted={false}>
        <Tabs.List aria-label={webhookDetails.tabs.label} mb="lg">
          {tabs.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {webhookDetails.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview" className={styles.panels}>
          {record.in_error && <ErrorPanel webhook={record} />}
          <StatisticsPanel webhookId={record.id} withLastError={!record.in_error} />
          <LinePanel webhook={record} />
          <WaitingPanel webhook={record} />
          <TrendPanel webhookId={record.id} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryPanel webhookId={record.id} webhook={record} />
        </Tabs.Panel>
        <Tabs.Panel value="configuration">
          <ConfigurationPanel record={record} />
        </Tabs.Panel>
        <Tabs.Panel value="changes">
          <ChangesPanel type="WEBHOOK" id={record.id} />
        </Tabs.Panel>
      </Tabs>
      <TestDialog webhook={record} opened={testing} onClose={() => setTesting(false)} />
      <ReplayDialog
        webhook={record}
        since={replaying?.since ?? null}
        opened={replaying !== null}
        onClose={() => setReplaying(null)}
      />
    </>
  );
}

/** The history of a deleted webhook can still be read. */
function DeletedWebhook({ webhookId }: { webhookId: number }) {
  return (
    <>
      <EmptyState
        heading="h1"
        icon={IconPlugOff}
        title={webhookDetails.gone.title}
        description={webhookDetails.gone.description}
        action={
          <ButtonLink variant="default" to="/administration/integrations/webhooks">
            {webhookDetails.gone.toList}
          </ButtonLink>
        }
      />
      {Number.isSafeInteger(webhookId) && (
        <>
          <HistoryPanel webhookId={webhookId} webhook={null} />
          <ChangesPanel type="WEBHOOK" id={webhookId} />
        </>
      )}
    </>
  );
}

function isTab(value: string | null): value is DetailTab {
  return (DETAIL_TABS as readonly (string | null)[]).includes(value);
}
