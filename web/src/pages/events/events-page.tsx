import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SUBTOPICS } from '../../../../src/events/catalogue.ts';
import { eventsQuery } from '../../api/events.ts';
import { fetchCurrent } from '../../api/query-client.ts';
import { EventList } from '../../components/events/event-list.tsx';
import { LinkedFilter } from '../../components/log/log-filters.tsx';
import { LOG_PAGE_SIZE, LogPage } from '../../components/log/log-page.tsx';
import { AssetFilter } from '../../components/registrations/asset-filter.tsx';
import { TableFilter } from '../../components/table-filter.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { useTable } from '../../components/use-table.ts';
import { events } from '../../texts/events.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { toInstant } from '../../utilities/local-time.ts';

const route = getRouteApi('/app/admin/administration/integrations/events');
const { filters: words } = events;
const SUBTOPIC_OPTIONS = SUBTOPICS.map((value) => ({ value, label: webhooks.subtopics[value].name }));

/** Filters that can be set only by links. */
const ONLY = [
  ['registration_id', words.registration],
  ['equivalent_id', words.equivalent],
  ['bundle_id', words.bundle],
] as const;

/** The event log, with a search by subject, actor and time. */
export function EventsPage() {
  const {
    from,
    to,
    cursor,
    search: _search,
    page: _page,
    size: _size,
    direction: _direction,
    sort: _sort,
    ...filter
  } = route.useSearch();
  const table = useTable(['cursor']);
  const searched = {
    ...filter,
    from_dt: toInstant(from ?? '') ?? undefined,
    to_dt: toInstant(to ?? '') ?? undefined,
  };
  return (
    <LogPage
      table={table}
      query={useQuery(eventsQuery({ ...searched, cursor }, LOG_PAGE_SIZE))}
      words={events}
      icon={IconHistory}
      exporting={{
        name: 'events',
        page: (client, after, limit) =>
          fetchCurrent(client, eventsQuery({ ...searched, cursor: after ?? undefined }, limit)),
      }}
      filters={
        <>
          <TableFilter table={table} name="subtopic" label={words.subtopic} options={SUBTOPIC_OPTIONS} />
          <AssetFilter table={table} name="account_id" type="ACCOUNT" label={words.account} />
          <AssetFilter table={table} name="course_id" type="COURSE" label={words.course} />
          <TextFilter table={table} name="learner_id" label={words.learner} />
          <TextFilter table={table} name="user" label={words.user} />
          <TextFilter table={table} name="message_id" label={words.message} />
        </>
      }
      filtersOfLinks={ONLY.map(([name, what]) => (
        <LinkedFilter
          key={name}
          table={table}
          name={name}
          label={words.only(what, String(table.values[name]))}
          remove={words.remove}
        />
      ))}
      list={(rows, stale) => <EventList rows={rows} stale={stale} />}
    />
  );
}
