import { IconPencil, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Alert, type AlertTestResult, alertQuery, testAlert } from '../../api/alerts.ts';
import { webhookQuery } from '../../api/webhooks.ts';
import { ChangesPanel } from '../../components/audit/changes-panel.tsx';
import { BusyButton } from '../../components/busy-button.tsx';
import { Callout } from '../../components/callout.tsx';
import { Facts } from '../../components/facts.tsx';
import { FormProblem } from '../../components/form-problem.tsx';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { Unread } from '../../components/unread.tsx';
import { useIsMissing } from '../../components/use-is-missing.ts';
import { usePageName } from '../../navigation/page-name.ts';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';
import { formatDuration } from '../../utilities/times.ts';
import { AlertState, conditionOf, Notices, Notifies } from './alert-cells.tsx';
import { AlertMenu } from './alert-menu.tsx';
import styles from './alerts.module.css';
import { FiringsPanel } from './firings-panel.tsx';
import { useAlertActions } from './use-alert-actions.tsx';

const route = getRouteApi('/app/admin/administration/alerts/$alertId');
const { details } = texts;
const NAMED_WEBHOOKS = 20;

/** The page of an alert rule: its state, a test, and its firings. */
export function AlertPage() {
  const { alertId } = route.useParams();
  const read = useQuery(alertQuery(alertId));
  const { data } = read;
  if (useIsMissing(alertId, read)) return <NotFound />;
  if (data !== undefined) return <Details key={alertId} alert={data.record} />;
  return <Unread query={read} />;
}

function Details({ alert }: { alert: Alert }) {
  const { id, name, email_to, target, quiet_hours: quiet, last_notices: notices } = alert;
  const test = useMutation({ mutationFn: () => testAlert(id) });
  const actions = useAlertActions(true);
  usePageName(name);
  const failing = notices.filter(({ state, error }) => state !== 'SENT' && error !== null);
  return (
    <>
      <PageHeader
        title={<bdi>{name}</bdi>}
        badges={<AlertState alert={alert} />}
        back={{ link: { to: '/administration/alerts' }, label: texts.title }}
        actions={
          <>
            <BusyButton
              variant="default"
              leftSection={<IconSend size={16} stroke={1.6} />}
              isBusy={test.isPending}
              onClick={() => test.mutate()}
            >
              {texts.test.action}
            </BusyButton>
            <AlertMenu alert={alert} onAct={actions.act} isOwnPage />
            {actions.dialogs}
            <ButtonLink
              leftSection={<IconPencil size={16} stroke={1.6} />}
              to="/administration/alerts/$alertId/edit"
              params={{ alertId: id }}
            >
              {shared.edit}
            </ButtonLink>
          </>
        }
      />
      <div className={styles.stack}>
        <FormProblem error={test.error} />
        {test.data?.map((result) => (
          <TestResult key={result.channel} result={result} />
        ))}
        {failing.length > 0 && (
          <Callout tone="bad" title={details.sendingFails} live="title">
            <Notices notices={failing} />
          </Callout>
        )}
        <Panel title={details.configuration}>
          <Facts
            items={[
              [details.condition, conditionOf(alert)],
              alert.condition === 'SERVICE_IN_TROUBLE'
                ? null
                : [details.webhooks, <Webhooks key="webhooks" alert={alert} />],
              email_to.length === 0 ? null : [details.email, <bdi key="email">{email_to.join(', ')}</bdi>],
              target === null
                ? null
                : [details.target, <Notifies key="target" alert={{ ...alert, email_to: [] }} />],
              [
                details.quiet,
                quiet === null ? shared.none : details.quietWords(quiet.from, quiet.to, quiet.time_zone),
              ],
              [details.updated, <Time key="updated" value={alert.updated_dt} />],
            ]}
          />
        </Panel>
        <FiringsPanel alert={alert} />
        <ChangesPanel type="ALERT" id={id} />
      </div>
    </>
  );
}

function TestResult({ result: { channel, sent, error, duration_ms } }: { result: AlertTestResult }) {
  const name = texts.notice.channel[channel];
  return (
    <Callout
      tone={sent ? (error === null ? 'good' : 'warn') : 'bad'}
      title={sent ? texts.test.sent(name) : texts.test.failed(name)}
      live
    >
      {error === null ? texts.test.took(formatDuration(duration_ms)) : <bdi>{error}</bdi>}
    </Callout>
  );
}

function Webhooks({ alert: { webhook_ids: ids } }: { alert: Alert }) {
  if (ids === null) return texts.webhooks(null);
  return (
    <div className={styles.badges}>
      {ids.slice(0, NAMED_WEBHOOKS).map((webhookId) => (
        <WebhookLink key={webhookId} webhookId={webhookId} />
      ))}
      {ids.length > NAMED_WEBHOOKS && texts.moreWebhooks(ids.length - NAMED_WEBHOOKS)}
    </div>
  );
}

/** A deleted webhook no longer has a name. */
function WebhookLink({ webhookId }: { webhookId: number }) {
  const { data } = useQuery({ ...webhookQuery(webhookId), refetchInterval: false, retry: false });
  return (
    <AnchorLink to="/administration/integrations/webhooks/$webhookId" params={{ webhookId }}>
      <bdi>{data?.record.name ?? `#${webhookId}`}</bdi>
    </AnchorLink>
  );
}
