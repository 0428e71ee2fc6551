import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SUBTOPICS } from '../../../../src/events/catalogue.ts';
import { eventsQuery } from '../../api/events.ts';
import tableStyles from '../../components/data-table.module.css';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { EventList } from '../../components/events/event-list.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { OnlyFilter, TimeFilter } from '../../components/log/log-filters.tsx';
import { LogPages } from '../../components/log/log-pages.tsx';
import { LogWithoutEntries } from '../../components/log/log-without-entries.tsx';
import { useLog } from '../../components/log/use-log.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { AssetFilter } from '../../components/registrations/asset-filter.tsx';
import { TableFilter } from '../../components/table-filter.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { events } from '../../texts/events.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { toInstant } from '../../utilities/local-time.ts';

const route = getRouteApi('/app/admin/administration/integrations/events');
const PAGE_SIZE = 50;
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
  const table = useLog();
  const searched = {
    ...filter,
    from_dt: toInstant(from ?? '') ?? undefined,
    to_dt: toInstant(to ?? '') ?? undefined,
  };
  const query = useQuery(eventsQuery({ ...searched, cursor }, PAGE_SIZE));
  const { data, error, isPlaceholderData, refetch } = query;
  return (
    <>
      <PageHeader title={events.title} description={events.description} />
      <section className={tableStyles.frame} aria-label={events.label}>
        <search className={tableStyles.toolbar}>
          <TableFilter table={table} name="subtopic" label={words.subtopic} options={SUBTOPIC_OPTIONS} />
          <AssetFilter table={table} name="account_id" type="ACCOUNT" label={words.account} />
          <AssetFilter table={table} name="course_id" type="COURSE" label={words.course} />
          <TextFilter table={table} name="learner_id" label={words.learner} />
          <TextFilter table={table} name="user" label={words.user} />
          <TextFilter table={table} name="message_id" label={words.message} />
          <TimeFilter table={table} name="from" label={words.from} />
          <TimeFilter table={table} name="to" label={words.to} />
          {ONLY.map(([name, what]) => (
            <OnlyFilter
              key={name}
              table={table}
              name={name}
              label={words.only(what, String(table.values[name]))}
              remove={words.remove}
            />
          ))}
          {table.narrowed && (
            <Button variant="subtle" onClick={table.clear}>
              {words.clear}
            </Button>
          )}
        </search>
        {data === undefined && error !== null ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : data?.data.length === 0 ? (
          <LogWithoutEntries
            next={data.next_cursor}
            table={table}
            isNarrowed={table.narrowed || cursor !== undefined}
            words={events}
            empty={
              <EmptyState
                icon={IconHistory}
                title={events.empty.title}
                description={events.empty.description}
              />
            }
          />
        ) : (
          <EventList rows={data?.data} stale={isPlaceholderData} />
        )}
        <LogPages
          cursor={cursor}
          next={data?.next_cursor ?? null}
          table={table}
          words={events}
          exporting={
            <ExportButton
              exporting={{
                name: 'events',
                page: (client, after, limit) =>
                  client.fetchQuery(eventsQuery({ ...searched, cursor: after ?? undefined }, limit)),
              }}
              rowKey={({ id }) => id}
            />
          }
        />
      </section>
    </>
  );
}
