import type { ListedEvent } from '../../api/events.ts';
import { events } from '../../texts/events.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { DataRows } from '../data-rows.tsx';
import { RowLink } from '../row-link.tsx';
import { StatusBadge } from '../status-badge.tsx';
import type { Column } from '../table-columns.ts';
import { Time } from '../time.tsx';
import styles from './event-list.module.css';

const { columns: words } = events;

const COLUMNS: readonly Column<ListedEvent>[] = [
  {
    id: 'event',
    label: words.event,
    card: 'title',
    width: '13rem',
    cell: ({ id, subtopic }) => (
      <RowLink
        to="/administration/integrations/events/$eventId"
        params={{ eventId: id }}
        aria-label={events.open(webhooks.subtopics[subtopic].name, id)}
      >
        {webhooks.subtopics[subtopic].name}
      </RowLink>
    ),
  },
  { id: 'about', label: words.about, cell: (event) => <About event={event} /> },
  {
    id: 'user',
    isSpare: true,
    label: words.user,
    width: '12rem',
    cell: ({ user }) => <bdi className={styles.text}>{user}</bdi>,
  },
  {
    id: 'webhooks',
    label: words.webhooks,
    width: '10.5rem',
    cell: (event) => <Webhooks event={event} />,
  },
  {
    id: 'time',
    label: words.time,
    width: '11rem',
    cell: ({ event_dt: time }) => <Time value={time} format="absolute" />,
  },
];

/** Without the column that would be the same in all events of a registration. */
const COLUMNS_OF_REGISTRATION = COLUMNS.filter(({ id }) => id !== 'about');

/** Events as rows; each links to its page. */
export function EventList({
  rows,
  ofRegistration = false,
  stale = false,
  placeholderRows = 8,
}: {
  rows: readonly ListedEvent[] | undefined;
  /** Whether they are all about one registration, which the page names. */
  ofRegistration?: boolean;
  stale?: boolean;
  placeholderRows?: number;
}) {
  return (
    <DataRows
      label={events.label}
      columns={ofRegistration ? COLUMNS_OF_REGISTRATION : COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      stale={stale}
      placeholderRows={placeholderRows}
    />
  );
}

/** How many webhooks got a message, and whether any message was not delivered. */
function Webhooks({ event }: { event: ListedEvent }) {
  const count = event.matched_webhooks + event.replayed_webhooks;
  return (
    <span className={styles.webhooks}>
      <span>{events.webhooks(count)}</span>
      {event.has_dead_letters && <StatusBadge tone="bad">{events.deadLettered(count)}</StatusBadge>}
      {event.has_waiting_messages && <StatusBadge tone="info">{events.waiting(count)}</StatusBadge>}
    </span>
  );
}

function About({ event }: { event: ListedEvent }) {
  const { learner_id: learner, content, content_count: count, account } = event;
  const more = count > 1 ? ` ${events.moreContent(formatNumber(count - 1))}` : '';
  // Two of them may have the same name.
  const parts = [
    { of: 'learner', name: learner, more: '' },
    { of: 'content', name: content[0]?.name, more },
    { of: 'account', name: account?.name, more: '' },
  ].filter(({ name }) => name != null);
  return (
    <span className={styles.text}>
      {parts.map((part, at) => (
        <span key={part.of}>
          {at > 0 && ' · '}
          <bdi>{part.name}</bdi>
          {part.more}
        </span>
      ))}
    </span>
  );
}
