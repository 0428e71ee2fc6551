import { IconCertificate } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { fetchCurrent } from '../../api/query-client.ts';
import {
  deleteRegistration,
  REGISTRATION_SORTS,
  REGISTRATION_STATES,
  type RegistrationOverview,
  registrationListQuery,
  registrationsKey,
} from '../../api/registrations.ts';
import { useIsAdmin } from '../../session/session-context.ts';
import { registrations } from '../../texts/registrations.ts';
import { languageName } from '../../utilities/language-name.ts';
import { listQuery } from '../../utilities/table-search.ts';
import { DataTable } from '../data-table.tsx';
import { EmptyState } from '../empty-state.tsx';
import { RowLink } from '../row-link.tsx';
import { useBulkDelete } from '../selection/use-bulk-delete.tsx';
import { useSelection } from '../selection/use-selection.ts';
import type { Column } from '../table-columns.ts';
import { TableFilter } from '../table-filter.tsx';
import { Time } from '../time.tsx';
import { useTable } from '../use-table.ts';
import { AssetFilter } from './asset-filter.tsx';
import { LearnerFilter } from './learner-filter.tsx';
import { RegistrationState } from './registration-state.tsx';
import styles from './registration-table.module.css';
import { formatScore, formatSeconds } from './results.ts';

const words = registrations.columns;
/** Members of the address that do not belong to this table. */
const OTHERS = ['tab', 'type', 'add', 'new'];

const LEARNER: Column<RegistrationOverview> = {
  id: 'learner',
  label: words.learner,
  card: 'title',
  width: '10.75rem',
  cell: ({ registration_id, learner_id }) => (
    <RowLink to="/registrations/$registrationId" params={{ registrationId: registration_id }}>
      <bdi className={styles.learner}>{learner_id}</bdi>
    </RowLink>
  ),
};
const COURSE: Column<RegistrationOverview> = {
  id: 'course',
  label: words.course,
  cell: (registration) => <SubjectCell registration={registration} />,
};
const ACCOUNT: Column<RegistrationOverview> = {
  id: 'account',
  label: words.account,
  cell: ({ account_name, account_id }) => (
    <AssetName name={account_name ?? registrations.unknownAccount(account_id)} />
  ),
};
const RESULTS: readonly Column<RegistrationOverview>[] = [
  {
    id: 'status',
    label: words.status,
    width: '8rem',
    cell: (registration) => <RegistrationState registration={registration} />,
  },
  {
    id: 'score',
    isSpare: true,
    label: words.score,
    align: 'end',
    width: '4rem',
    cell: ({ score }) => formatScore(score),
  },
  {
    id: 'duration',
    isSpare: true,
    label: words.duration,
    align: 'end',
    width: '5.5rem',
    cell: ({ duration }) => formatSeconds(duration),
  },
  {
    id: 'updated',
    isSpare: true,
    label: words.updated,
    sort: 'updated',
    firstDirection: 'desc',
    width: '7.5rem',
    card: 'hidden',
    cell: ({ updated_dt }) => <Time value={updated_dt} />,
  },
  {
    id: 'created',
    label: words.created,
    sort: 'created',
    firstDirection: 'desc',
    width: '7.5rem',
    cell: ({ created_dt }) => <Time value={created_dt} />,
  },
];

/** Registrations: all of them, or those of one account. */
export function RegistrationTable({ accountId }: { accountId?: number }) {
  const isAdmin = useIsAdmin();
  const table = useTable(OTHERS);
  const {
    search,
    learner: learner_id,
    status,
    course_id,
    equivalent_id,
    sort,
    direction,
    page,
    size,
  } = table.values;
  const ordered = (REGISTRATION_SORTS as readonly unknown[]).includes(sort) ? { sort, direction } : {};
  const query = listQuery({
    search,
    learner_id,
    status,
    course_id,
    equivalent_id,
    account_id: accountId ?? table.values.account_id,
    page,
    size,
    ...ordered,
  });
  const found = useQuery(registrationListQuery(query));
  const queryClient = useQueryClient();
  const selection = useSelection(found.data?.data ?? [], ({ registration_id }) => registration_id);
  const remove = useBulkDelete(selection, {
    words: registrations.remove.many,
    nameOf: nameInList,
    description: () => registrations.remove.manyDescription,
    act: ({ registration_id }) => deleteRegistration(registration_id),
    onEnd: () => queryClient.invalidateQueries({ queryKey: registrationsKey }),
  });
  return (
    <>
      <DataTable
        label={registrations.label}
        columns={
          accountId === undefined ? [LEARNER, COURSE, ACCOUNT, ...RESULTS] : [LEARNER, COURSE, ...RESULTS]
        }
        rowKey={({ registration_id }) => registration_id}
        table={table}
        exporting={{
          name: 'registrations',
          list: (client, part) => fetchCurrent(client, registrationListQuery({ ...query, ...part })),
          steadySort: 'created',
        }}
        query={found}
        defaultOrder={{ sort: 'created', direction: 'desc' }}
        searchLabel={registrations.search}
        filters={
          <>
            <LearnerFilter table={table} />
            {accountId === undefined && (
              <AssetFilter
                table={table}
                name="account_id"
                type="ACCOUNT"
                label={registrations.filters.account}
              />
            )}
            <AssetFilter table={table} name="course_id" type="COURSE" label={registrations.filters.course} />
            {/* Only for the link from an equivalent: the room is for what is searched most. */}
            {equivalent_id !== undefined && (
              <AssetFilter
                table={table}
                name="equivalent_id"
                type="EQUIVALENT"
                label={registrations.filters.equivalent}
              />
            )}
            <TableFilter
              table={table}
              name="status"
              label={registrations.filters.status}
              options={REGISTRATION_STATES.map((value) => ({
                value,
                label: registrations.filters.states[value],
              }))}
            />
          </>
        }
        selecting={isAdmin ? { selection, nameOf: nameInList, actions: remove.button } : undefined}
        empty={
          <EmptyState
            icon={IconCertificate}
            title={registrations.empty.title}
            description={
              accountId !== undefined
                ? registrations.empty.ofAccount
                : isAdmin
                  ? registrations.empty.description
                  : registrations.empty.viewer
            }
          />
        }
      />
      {remove.dialog}
    </>
  );
}

/** The course. For an equivalent: the equivalent, and the language chosen by the learner. */
function SubjectCell({ registration }: { registration: RegistrationOverview }) {
  const { course_id, course_name, equivalent_id, equivalent_name, language } = registration;
  const course = course_name ?? registrations.unknownCourse(course_id);
  if (equivalent_id === null) return <AssetName name={course} />;
  const equivalent = equivalent_name ?? registrations.unknownEquivalent(equivalent_id);
  // Until a language is chosen, the record has the first course of the equivalent.
  const chosen =
    language === null
      ? registrations.noLanguage
      : registrations.inLanguage(course, languageName(language) ?? language);
  return (
    <>
      <AssetName name={equivalent} />
      <span className={styles.second}>{chosen}</span>
    </>
  );
}

function AssetName({ name }: { name: string }) {
  return (
    <bdi className={styles.name} title={name}>
      {name}
    </bdi>
  );
}

/** A learner may have several registrations. */
function nameInList({ learner_id, course_id, course_name, equivalent_name }: RegistrationOverview): string {
  return registrations.inList(
    learner_id,
    equivalent_name ?? course_name ?? registrations.unknownCourse(course_id),
  );
}
