import { Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { eventWebhookQuery, eventWebhooksQuery } from '../../api/events.ts';
import { webhookListQuery } from '../../api/webhooks.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { events } from '../../texts/events.ts';
import { useDebounced } from '../../utilities/use-debounced.ts';
import styles from './events.module.css';
import { OutcomeRow } from './outcome-row.tsx';

const route = getRouteApi('/app/admin/administration/integrations/events/$eventId');
const texts = events.details.finder;
const FOUND_WEBHOOKS = 50;
const TYPING_MS = 300;

/** Finds the outcome of an event for one webhook, if there are too many webhooks for a page. */
export function WebhookFinder({ eventId }: { eventId: number }) {
  const { webhook_id: chosen = null } = route.useSearch();
  const navigate = route.useNavigate();
  const lists = [useQuery(eventWebhooksQuery(eventId, true)), useQuery(eventWebhooksQuery(eventId, false))];
  const outcome = useQuery({ ...eventWebhookQuery(eventId, chosen ?? 0), enabled: chosen !== null });
  const [search, setSearch] = useState('');
  const settled = useDebounced(search, TYPING_MS).trim();
  const isLong = lists.some(({ data }) => (data?.next_cursor ?? null) !== null);
  const found = useQuery({
    ...webhookListQuery({ limit: FOUND_WEBHOOKS, offset: 0, ...(settled === '' ? {} : { search: settled }) }),
    placeholderData: keepPreviousData,
    enabled: isLong || chosen !== null,
  });
  if (!isLong && chosen === null) return null;
  const shown = outcome.data?.data[0];
  const options = new Map((found.data?.data ?? []).map(({ id, name }) => [id, name]));
  if (chosen !== null && !options.has(chosen)) options.set(chosen, shown?.name ?? `#${chosen}`);
  return (
    <Panel title={texts.title} description={texts.description} flush>
      <div className={styles.finder}>
        <Select
          aria-label={texts.label}
          placeholder={texts.label}
          searchable
          clearable
          searchValue={search}
          onSearchChange={setSearch}
          filter={({ options: all }) => all}
          nothingFoundMessage={found.isPending ? null : texts.nothing}
          data={Array.from(options, ([id, name]) => ({ value: String(id), label: name }))}
          value={chosen === null ? null : String(chosen)}
          onChange={(value) =>
            void navigate({
              // The route validates it.
              search: (value === null ? {} : { webhook_id: Number(value) }) as never,
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {chosen !== null &&
        (outcome.data === undefined ? (
          outcome.error === null ? (
            <PageLoading />
          ) : (
            <ErrorState error={outcome.error} retry={() => void outcome.refetch()} />
          )
        ) : shown === undefined ? (
          <p className={styles.note}>{texts.gone}</p>
        ) : (
          <ul className={styles.list} aria-label={texts.title}>
            <OutcomeRow outcome={shown} />
          </ul>
        ))}
    </Panel>
  );
}
