import { Button } from '@mantine/core';
import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, AUDIT_OBJECT_TYPES } from '../../../../src/audit/actions.ts';
import { type ActorType, auditQuery } from '../../api/audit.ts';
import { AuditList } from '../../components/audit/audit-list.tsx';
import tableStyles from '../../components/data-table.module.css';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { OnlyFilter, TimeFilter } from '../../components/log/log-filters.tsx';
import { LogPages } from '../../components/log/log-pages.tsx';
import { LogWithoutEntries } from '../../components/log/log-without-entries.tsx';
import { useLog } from '../../components/log/use-log.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { TableFilter } from '../../components/table-filter.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { audit } from '../../texts/audit.ts';
import { toInstant } from '../../utilities/local-time.ts';

const route = getRouteApi('/app/admin/administration/audit-log');
const PAGE_SIZE = 50;
const { filters: words } = audit;
const ACTORS = Object.entries(audit.actors).map(([value, label]) => ({ value: value as ActorType, label }));
const OBJECTS = AUDIT_OBJECT_TYPES.map((value) => ({ value, label: audit.objects[value] }));

/** Who changed what and when, by actor, action, object and time. */
export function AuditPage() {
  const { user, actor_type, action, object_type, object_id, from, to, cursor } = route.useSearch();
  const table = useLog();
  const searched = {
    user,
    actor_type,
    action,
    object_type,
    // An edited address may contain only an id, which is ambiguous without the kind of object.
    object_id: object_type === undefined ? undefined : object_id,
    from_dt: toInstant(from ?? '') ?? undefined,
    to_dt: toInstant(to ?? '') ?? undefined,
  };
  const { data, error, isPlaceholderData, refetch } = useQuery(
    auditQuery({ ...searched, cursor }, PAGE_SIZE),
  );
  const actions = AUDIT_ACTION_NAMES.filter(
    (each) => object_type === undefined || AUDIT_ACTIONS[each] === object_type,
  ).map((value) => ({ value, label: audit.actions[value] }));
  const next = data?.next_cursor ?? null;
  return (
    <>
      <PageHeader title={audit.title} description={audit.description} />
      <section className={tableStyles.frame} aria-label={audit.title}>
        <search className={tableStyles.toolbar}>
          <TextFilter table={table} name="user" label={words.user} />
          <TableFilter table={table} name="actor_type" label={words.actor} options={ACTORS} />
          <TableFilter
            table={{
              ...table,
              // Actions and ids belong to one kind of object.
              change: (members) => table.change({ action: undefined, object_id: undefined, ...members }),
            }}
            name="object_type"
            label={words.object}
            options={OBJECTS}
          />
          <TableFilter table={table} name="action" label={words.action} options={actions} />
          <TimeFilter table={table} name="from" label={words.from} />
          <TimeFilter table={table} name="to" label={words.to} />
          {object_type !== undefined && object_id !== undefined && (
            <OnlyFilter
              table={table}
              name="object_id"
              label={words.only(audit.objects[object_type], object_id)}
              remove={words.remove}
            />
          )}
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
            next={next}
            table={table}
            isNarrowed={table.narrowed || cursor !== undefined}
            words={audit}
            empty={
              <EmptyState
                icon={IconClipboardList}
                title={audit.empty.title}
                description={audit.empty.description}
              />
            }
          />
        ) : (
          <AuditList entries={data?.data} stale={isPlaceholderData} />
        )}
        <LogPages
          cursor={cursor}
          next={next}
          table={table}
          words={audit}
          exporting={
            <ExportButton
              exporting={{
                name: 'audit-log',
                page: (client, after, limit) =>
                  client.fetchQuery(auditQuery({ ...searched, cursor: after ?? undefined }, limit)),
              }}
              rowKey={({ id }) => id}
            />
          }
        />
      </section>
    </>
  );
}
