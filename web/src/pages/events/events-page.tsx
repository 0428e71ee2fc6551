import { Button, TextInput } from '@mantine/core';
import { IconHistory, IconSearchOff, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { SUBTOPICS } from '../../../../src/events/catalogue.ts';
import { type EventPage, eventsQuery } from '../../api/events.ts';
import tableStyles from '../../components/data-table.module.css';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { EventList } from '../../components/events/event-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { AssetFilter } from '../../components/registrations/asset-filter.tsx';
import { TableFilter } from '../../components/table-filter.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { type TableState, useTable } from '../../components/use-table.ts';
import { events } from '../../texts/events.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { toInstant } from '../../utilities/local-time.ts';
import styles from './events.module.css';

const route = getRouteApi('/app/admin/administration/integrations/events');
const PAGE_SIZE = 50;
const { filters: words } = events;
const SUBTOPIC_OPTIONS = SUBTOPICS.map((value) => ({ value, label: webhooks.subtopics[value].name }));

/** Everything that happened, searched by what it is about, by whom and when. */
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
  const state = useTable(['cursor']);
  // A changed filter begins with the newest again.
  const table: TableState = {
    ...state,
    change: (members, options) => state.change({ cursor: undefined, ...members }, options),
  };
  const query = useQuery(
    eventsQuery(
      {
        ...filter,
        from_dt: toInstant(from ?? '') ?? undefined,
        to_dt: toInstant(to ?? '') ?? undefined,
        cursor,
      },
      PAGE_SIZE,
    ),
  );
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
          <OnlyFilter table={table} name="registration_id" what={words.registration} />
          <OnlyFilter table={table} name="equivalent_id" what={words.equivalent} />
          <OnlyFilter table={table} name="bundle_id" what={words.bundle} />
          {table.narrowed && (
            <Button variant="subtle" onClick={table.clear}>
              {words.clear}
            </Button>
          )}
        </search>
        {data === undefined && error !== null ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : data?.data.length === 0 ? (
          <Nothing page={data} table={table} isNarrowed={table.narrowed || cursor !== undefined} />
        ) : (
          <EventList rows={data?.data} stale={isPlaceholderData} />
        )}
        <Pages cursor={cursor} next={data?.next_cursor ?? null} table={state} />
      </section>
    </>
  );
}

function TimeFilter({ table, name, label }: { table: TableState; name: 'from' | 'to'; label: string }) {
  const value = table.values[name];
  return (
    <TextInput
      type="datetime-local"
      className={styles.time ?? ''}
      leftSection={<span className={styles.timeLabel}>{label}</span>}
      leftSectionWidth={56}
      aria-label={label}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        table.change({ [name]: chosen === '' ? undefined : chosen }, { replace: true });
      }}
    />
  );
}

/** Shows a filter that a link brought, and removes it. */
function OnlyFilter({ table, name, what }: { table: TableState; name: string; what: string }) {
  const value = table.values[name];
  if (value === undefined) return null;
  return (
    <Button
      variant="default"
      rightSection={<IconX size={14} stroke={1.8} aria-hidden />}
      aria-label={`${words.remove}: ${words.only(what, String(value))}`}
      onClick={() => table.change({ [name]: undefined })}
    >
      <span className={styles.only}>{words.only(what, String(value))}</span>
    </Button>
  );
}

function Nothing({ page, table, isNarrowed }: { page: EventPage; table: TableState; isNarrowed: boolean }) {
  if (page.next_cursor !== null) {
    const { next_cursor: next } = page;
    return (
      <EmptyState
        icon={IconSearchOff}
        title={events.searching.title}
        description={events.searching.description}
        action={<Button onClick={() => table.change({ cursor: next })}>{events.searching.action}</Button>}
      />
    );
  }
  return isNarrowed ? (
    <EmptyState
      icon={IconSearchOff}
      title={events.nothingFits.title}
      description={events.nothingFits.description}
      action={
        <Button variant="default" onClick={table.clear}>
          {words.clear}
        </Button>
      }
    />
  ) : (
    <EmptyState icon={IconHistory} title={events.empty.title} description={events.empty.description} />
  );
}

/** The interface leads onward only; the browser leads back. */
function Pages({
  cursor,
  next,
  table,
}: {
  cursor: string | undefined;
  next: string | null;
  table: TableState;
}) {
  if (cursor === undefined && next === null) return null;
  return (
    <nav className={styles.pages} aria-label={events.pages}>
      <Button
        variant="default"
        size="xs"
        disabled={cursor === undefined}
        onClick={() => table.change({ cursor: undefined })}
      >
        {events.newest}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={() => table.change({ cursor: next ?? undefined })}
      >
        {events.older}
      </Button>
    </nav>
  );
}
