import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type EventSearch, eventsQuery } from '../../api/events.ts';
import { events } from '../../texts/events.ts';
import { ErrorState } from '../error-state.tsx';
import { AnchorLink } from '../links.tsx';
import { Panel } from '../panel.tsx';
import styles from './event-list.module.css';
import { EventList } from './event-list.tsx';

const SHOWN = 10;

/** The latest events about something, for administrators. */
export function EventsPanel({ about }: { about: EventSearch }) {
  const { data, error, isPlaceholderData, refetch } = useQuery(eventsQuery(about, SHOWN));
  const isEmpty = data?.data.length === 0;
  // The service stops a search that finds few events, however many older ones there are.
  const next = data === undefined || isPlaceholderData || data.data.length >= SHOWN ? null : data.next_cursor;
  return (
    <Panel
      title={events.title}
      description={events.panel.description}
      flush
      actions={(!isEmpty || next !== null) && <LogLink search={about}>{events.panel.all}</LogLink>}
    >
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : isEmpty ? (
        next === null && !isPlaceholderData && <p className={styles.note}>{events.panel.empty}</p>
      ) : (
        <EventList
          rows={data?.data}
          ofRegistration={about.registration_id !== undefined}
          stale={isPlaceholderData}
          placeholderRows={3}
        />
      )}
      {next !== null && (
        <p className={styles.note}>
          {isEmpty ? events.panel.searching : events.searching.description}{' '}
          <LogLink search={{ ...about, cursor: next }}>{events.searching.action}</LogLink>
        </p>
      )}
    </Panel>
  );
}

function LogLink({ search, children }: { search: EventSearch; children: ReactNode }) {
  return (
    <AnchorLink to="/administration/integrations/events" search={search as never}>
      {children}
    </AnchorLink>
  );
}
