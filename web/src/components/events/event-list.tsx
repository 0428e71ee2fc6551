import type { EventSummary } from '../../api/events.ts';
import { events } from '../../texts/events.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { DataRows } from '../data-rows.tsx';
import { RowLink } from '../row-link.tsx';
import type { Column } from '../table-columns.ts';
import { Time } from '../time.tsx';
import styles from './event-list.module.css';

const { columns: words } = events;

const COLUMNS: readonly Column<EventSummary>[] = [
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
    label: words.user,
    width: '14rem',
    cell: ({ user }) => <bdi className={styles.text}>{user}</bdi>,
  },
  {
    id: 'webhooks',
    label: words.webhooks,
    width: '8rem',
    cell: ({ matched_webhooks: matched, replayed_webhooks: replayed }) => events.webhooks(matched + replayed),
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

/** Events as rows; each leads to its page. */
export function EventList({
  rows,
  ofRegistration = false,
  stale = false,
  placeholderRows = 8,
}: {
  rows: readonly EventSummary[] | undefined;
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

function About({ event }: { event: EventSummary }) {
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
