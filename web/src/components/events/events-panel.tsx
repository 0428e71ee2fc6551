import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type EventSearch, eventsQuery } from '../../api/events.ts';
import { events } from '../../texts/events.ts';
import { ErrorState } from '../error-state.tsx';
import { Panel } from '../panel.tsx';
import styles from './event-list.module.css';
import { EventList } from './event-list.tsx';

const SHOWN = 10;

/** The latest events about something, for administrators. */
export function EventsPanel({ about }: { about: EventSearch }) {
  const { data, error, isPlaceholderData, refetch } = useQuery(eventsQuery(about, SHOWN));
  const isEmpty = data !== undefined && data.data.length === 0 && data.next_cursor === null;
  return (
    <Panel
      title={events.title}
      description={events.panel.description}
      flush
      actions={
        !isEmpty && (
          <Anchor
            renderRoot={(props) => (
              <Link {...props} to="/administration/integrations/events" search={about as never} />
            )}
          >
            {events.panel.all}
          </Anchor>
        )
      }
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : isEmpty ? (
        <p className={styles.note}>{events.panel.empty}</p>
      ) : (
        <EventList
          rows={data?.data}
          ofRegistration={about.registration_id !== undefined}
          stale={isPlaceholderData}
          placeholderRows={3}
        />
      )}
    </Panel>
  );
}
