import { Button, TextInput } from '@mantine/core';
import { IconClipboardList, IconSearchOff, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, AUDIT_OBJECT_TYPES } from '../../../../src/audit/actions.ts';
import { type ActorType, auditQuery, type AuditPage as Page } from '../../api/audit.ts';
import { AuditList } from '../../components/audit/audit-list.tsx';
import tableStyles from '../../components/data-table.module.css';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TableFilter } from '../../components/table-filter.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { type TableState, useTable } from '../../components/use-table.ts';
import { audit } from '../../texts/audit.ts';
import { toInstant } from '../../utilities/local-time.ts';
import styles from './audit.module.css';

const route = getRouteApi('/app/admin/administration/audit-log');
const PAGE_SIZE = 50;
const { filters: words } = audit;
const ACTORS = Object.entries(audit.actors).map(([value, label]) => ({ value: value as ActorType, label }));
const OBJECTS = AUDIT_OBJECT_TYPES.map((value) => ({ value, label: audit.objects[value] }));

/** Who changed what and when, by actor, action, object and time. */
export function AuditPage() {
  const { user, actor_type, action, object_type, object_id, from, to, cursor } = route.useSearch();
  const state = useTable(['cursor']);
  // A changed filter begins with the newest again.
  const table: TableState = {
    ...state,
    change: (members, options) => state.change({ cursor: undefined, ...members }, options),
  };
  const { data, error, isPlaceholderData, refetch } = useQuery(
    auditQuery(
      {
        user,
        actor_type,
        action,
        object_type,
        // An edited address may have an id alone, which identifies nothing.
        object_id: object_type === undefined ? undefined : object_id,
        from_dt: toInstant(from ?? '') ?? undefined,
        to_dt: toInstant(to ?? '') ?? undefined,
        cursor,
      },
      PAGE_SIZE,
    ),
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
            <Button
              variant="default"
              rightSection={<IconX size={14} stroke={1.8} aria-hidden />}
              aria-label={`${words.remove}: ${words.only(audit.objects[object_type], object_id)}`}
              onClick={() => table.change({ object_id: undefined })}
            >
              <span className={styles.only}>{words.only(audit.objects[object_type], object_id)}</span>
            </Button>
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
          <Nothing page={data} table={table} isNarrowed={table.narrowed || cursor !== undefined} />
        ) : (
          <AuditList entries={data?.data} stale={isPlaceholderData} />
        )}
        {(cursor !== undefined || next !== null) && (
          <nav className={styles.pages} aria-label={audit.pages}>
            <Button
              variant="default"
              size="xs"
              disabled={cursor === undefined}
              onClick={() => state.change({ cursor: undefined })}
            >
              {audit.newest}
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={next === null}
              onClick={() => state.change({ cursor: next ?? undefined })}
            >
              {audit.older}
            </Button>
          </nav>
        )}
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

function Nothing({ page, table, isNarrowed }: { page: Page; table: TableState; isNarrowed: boolean }) {
  const { next_cursor: next } = page;
  if (next !== null) {
    return (
      <EmptyState
        icon={IconSearchOff}
        title={audit.searching.title}
        description={audit.searching.description}
        action={<Button onClick={() => table.change({ cursor: next })}>{audit.searching.action}</Button>}
      />
    );
  }
  if (!isNarrowed) {
    return (
      <EmptyState icon={IconClipboardList} title={audit.empty.title} description={audit.empty.description} />
    );
  }
  return (
    <EmptyState
      icon={IconSearchOff}
      title={audit.nothingFits.title}
      description={audit.nothingFits.description}
      action={
        <Button variant="default" onClick={table.clear}>
          {words.clear}
        </Button>
      }
    />
  );
}
