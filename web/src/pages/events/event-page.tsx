import { IconCalendarOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { assetKey } from '../../../../src/events/asset-key.ts';
import { type EventRecord, type EventSearch, eventQuery, eventWebhooksQuery } from '../../api/events.ts';
import { AssetLink } from '../../components/asset-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { CursorPages } from '../../components/cursor-pages.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Facts } from '../../components/facts.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { Unread } from '../../components/unread.tsx';
import { useIsMissing } from '../../components/use-is-missing.ts';
import { usePageName } from '../../navigation/page-name.ts';
import { useMay } from '../../session/session-context.ts';
import { events } from '../../texts/events.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import styles from './events.module.css';
import { OutcomeRow } from './outcome-row.tsx';
import { useWaitingReasons } from './waiting-reason.tsx';
import { WebhookFinder } from './webhook-finder.tsx';

const route = getRouteApi('/app/admin/administration/integrations/events/$eventId');
const { details: texts } = events;
const JSON_INDENT = 2;

/** An event: what happened, and its outcome for each webhook. */
export function EventPage() {
  const { eventId } = route.useParams();
  const read = useQuery(eventQuery(eventId));
  const { data } = read;
  if (useIsMissing(eventId, read)) return <MissingEvent />;
  if (data !== undefined) return <Details key={data.id} event={data} />;
  return <Unread query={read} />;
}

function Details({ event }: { event: EventRecord }) {
  const name = webhooks.subtopics[event.subtopic].name;
  const json = JSON.stringify(event.resource, null, JSON_INDENT);
  usePageName(name);
  return (
    <>
      <PageHeader
        title={name}
        back={{ link: { to: '/administration/integrations/events' }, label: events.title }}
        description={
          <>
            {texts.id(event.id)} · <Time value={event.event_dt} format="precise" />
          </>
        }
      />
      <div className={styles.columns}>
        <div className={styles.side}>
          <WebhookFinder eventId={event.id} />
          <WebhooksPanel eventId={event.id} gotMessage />
          <WebhooksPanel eventId={event.id} gotMessage={false} />
        </div>
        <div className={styles.side}>
          <FactsPanel event={event} />
          <Panel title={texts.resource} actions={<CopyButton value={json} label={texts.copy} />}>
            <CodeBlock label={texts.resourceOf}>{json}</CodeBlock>
          </Panel>
        </div>
      </div>
    </>
  );
}

function FactsPanel({ event }: { event: EventRecord }) {
  const { account, registration_id: registrationId, learner_id: learner, content } = event;
  return (
    <Panel title={texts.facts}>
      <Facts
        items={[
          account === null
            ? null
            : [
                texts.account,
                <AssetLink key="account" type="ACCOUNT" id={account.id}>
                  <bdi>{account.name}</bdi>
                </AssetLink>,
              ],
          content.length === 0
            ? null
            : [
                texts.content,
                <span key="content" className={styles.contents}>
                  {content.map(({ type, id, name }) => (
                    <AssetLink key={assetKey({ type, id })} type={type} id={id}>
                      <bdi>{name}</bdi>
                    </AssetLink>
                  ))}
                  {event.content_count > content.length &&
                    events.moreContent(formatNumber(event.content_count - content.length))}
                </span>,
              ],
          registrationId === null
            ? null
            : [texts.registration, <RegistrationLink key="registration" id={registrationId} />],
          learner === null
            ? null
            : [texts.learner, <EventsOf key="learner" search={{ learner_id: learner }} name={learner} />],
          [texts.user, <EventsOf key="user" search={{ user: event.user }} name={event.user} />],
        ]}
      />
    </Panel>
  );
}

/** For those who may not read content, only the id. */
function RegistrationLink({ id }: { id: string }) {
  if (!useMay()('content:read')) return id;
  return (
    <AnchorLink to="/registrations/$registrationId" params={{ registrationId: id }}>
      {id}
    </AnchorLink>
  );
}

function EventsOf({ search, name }: { search: EventSearch; name: string }) {
  return (
    <AnchorLink
      title={texts.eventsOf(name)}
      to="/administration/integrations/events"
      search={search as never}
    >
      <bdi className={styles.name}>{name}</bdi>
    </AnchorLink>
  );
}

function WebhooksPanel({ eventId, gotMessage }: { eventId: number; gotMessage: boolean }) {
  const [cursor, setCursor] = useState<string>();
  const read = useQuery(eventWebhooksQuery(eventId, gotMessage, cursor));
  const { data } = read;
  const reasons = useWaitingReasons(data?.data);
  const words = gotMessage ? texts.got : texts.others;
  const next = data?.next_cursor ?? null;
  return (
    <Panel title={words.title} description={words.description} flush>
      {data === undefined ? (
        <Unread query={read} />
      ) : data.data.length === 0 ? (
        <p className={styles.note}>{words.empty}</p>
      ) : (
        <ul className={styles.list} aria-label={words.title}>
          {data.data.map((outcome) => (
            <OutcomeRow key={outcome.webhook_id} outcome={outcome} reason={reasons.get(outcome.webhook_id)} />
          ))}
        </ul>
      )}
      <CursorPages
        label={words.pages}
        buttons={[
          { label: texts.first, show: cursor === undefined ? null : () => setCursor(undefined) },
          { label: texts.next, show: next === null ? null : () => setCursor(next) },
        ]}
      />
    </Panel>
  );
}

function MissingEvent() {
  return (
    <EmptyState
      heading="h1"
      icon={IconCalendarOff}
      title={events.missing.title}
      description={events.missing.description}
      action={<AnchorLink to="/administration/integrations/events">{events.missing.action}</AnchorLink>}
    />
  );
}
