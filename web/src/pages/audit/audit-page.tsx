import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, AUDIT_OBJECT_TYPES } from '../../../../src/audit/actions.ts';
import { type ActorType, auditQuery } from '../../api/audit.ts';
import { fetchCurrent } from '../../api/query-client.ts';
import { AuditList } from '../../components/audit/audit-list.tsx';
import { LinkedFilter } from '../../components/log/log-filters.tsx';
import { LOG_PAGE_SIZE, LogPage } from '../../components/log/log-page.tsx';
import { TableFilter } from '../../components/table-filter.tsx';
import { TextFilter } from '../../components/text-filter.tsx';
import { useTable } from '../../components/use-table.ts';
import { audit } from '../../texts/audit.ts';
import { toInstant } from '../../utilities/local-time.ts';

const route = getRouteApi('/app/admin/administration/audit-log');
const { filters: words } = audit;
const ACTORS = Object.entries(audit.actors).map(([value, label]) => ({ value: value as ActorType, label }));
const OBJECTS = AUDIT_OBJECT_TYPES.map((value) => ({ value, label: audit.objects[value] }));

/** Who changed what and when, by actor, action, object and time. */
export function AuditPage() {
  const { user, actor_type, action, object_type, object_id, from, to, cursor } = route.useSearch();
  const table = useTable(['cursor']);
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
  const actions = AUDIT_ACTION_NAMES.filter(
    (each) => object_type === undefined || AUDIT_ACTIONS[each] === object_type,
  ).map((value) => ({ value, label: audit.actions[value] }));
  return (
    <LogPage
      table={table}
      query={useQuery(auditQuery({ ...searched, cursor }, LOG_PAGE_SIZE))}
      words={{ ...audit, label: audit.title }}
      icon={IconClipboardList}
      exporting={{
        name: 'audit-log',
        page: (client, after, limit) =>
          fetchCurrent(client, auditQuery({ ...searched, cursor: after ?? undefined }, limit)),
      }}
      filters={
        <>
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
        </>
      }
      filtersOfLinks={
        object_type !== undefined &&
        object_id !== undefined && (
          <LinkedFilter
            table={table}
            name="object_id"
            label={words.only(audit.objects[object_type], object_id)}
            remove={words.remove}
          />
        )
      }
      list={(entries, stale) => <AuditList entries={entries} stale={stale} />}
    />
  );
}
