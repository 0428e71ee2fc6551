import { IconMailCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type DeadLetter, deadLetterListQuery } from '../../api/dead-letters.ts';
import { fetchCurrent } from '../../api/query-client.ts';
import { webhookOverviewQuery } from '../../api/webhooks.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useSelection } from '../../components/selection/use-selection.ts';
import { WebhooksAccessBadge } from '../../components/webhooks-access-badge.tsx';
import { useWebhooksReadOnly } from '../../session/session-context.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { letterColumns } from './letter-columns.tsx';
import { LetterFilters } from './letter-filters.tsx';
import { furtherSearch } from './older-letters.ts';
import { OpenLetter } from './open-letter.tsx';
import { useSelectedLetters } from './selected-letters.tsx';
import { useLetterActions } from './use-letter-actions.tsx';
import { useLetterList } from './use-letter-list.ts';

const route = getRouteApi('/app/admin/administration/integrations/dead-letters');

/** The dead letters of all webhooks, or of one. */
export function DeadLettersPage() {
  const { webhook_id: webhookId, search, cursor } = route.useSearch();
  const readOnly = useWebhooksReadOnly();
  const list = useLetterList();
  const query = useQuery(deadLetterListQuery(list.query));
  const { data: page, isPlaceholderData } = query;
  const webhook = useOnlyWebhook(webhookId);
  const letters = page?.data ?? [];
  const selection = useSelection(letters, keyOf);
  const selected = useSelectedLetters(
    selection,
    page === undefined || isPlaceholderData ? undefined : { ...page, of: list.of },
  );
  const all = useLetterActions(webhook, list.filter);
  // A search is for single messages, so only the selected ones can be redelivered or removed.
  // Older ones that match may not have been examined.
  const mayHaveMatches = page !== undefined && (page.total > 0 || page.total_is_lower_bound === true);
  const mayActOnAll = !readOnly && search === undefined && (mayHaveMatches || cursor !== undefined);
  return (
    <>
      <PageHeader
        title={deadLetters.title}
        description={deadLetters.description}
        badges={<WebhooksAccessBadge />}
        actions={mayActOnAll && all.buttons}
      />
      <DataTable
        label={deadLetters.label}
        columns={letterColumns(readOnly)}
        selecting={readOnly ? undefined : { selection, nameOf, actions: selected.buttons }}
        rowKey={keyOf}
        table={list.table}
        exporting={{
          name: 'dead-letters',
          list: (client, part) => fetchCurrent(client, deadLetterListQuery({ ...list.query, ...part })),
          steadySort: null,
        }}
        query={query}
        further={furtherSearch(page, list.table)}
        searchLabel={deadLetters.search}
        filters={
          <LetterFilters filters={list.filters} webhookName={webhook?.name ?? null} table={list.table} />
        }
        empty={
          <EmptyState
            icon={IconMailCheck}
            title={deadLetters.empty.title}
            description={deadLetters.empty.description}
          />
        }
      />
      {selected.dialog}
      <OpenLetter letters={letters} />
      {all.dialog}
    </>
  );
}

/** The webhook that the list is limited to; null if it is not. */
function useOnlyWebhook(id: number | undefined): { id: number; name: string } | null {
  const { data } = useQuery({ ...webhookOverviewQuery(id ?? 0), enabled: id !== undefined });
  return id === undefined ? null : { id, name: data?.name ?? deadLetters.deletedWebhook(id) };
}

function keyOf({ id }: DeadLetter): number {
  return id;
}

function nameOf({ subtopic, id }: DeadLetter): string {
  return deadLetters.open(webhooks.subtopics[subtopic].name, id);
}
