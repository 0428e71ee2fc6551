import { Button } from '@mantine/core';
import type { RegistrationUnit, RegistrationWithUnits } from '../../../api/registrations.ts';
import { DataRows } from '../../../components/data-rows.tsx';
import { Panel } from '../../../components/panel.tsx';
import { RegistrationState } from '../../../components/registrations/registration-state.tsx';
import { formatScore, formatSeconds } from '../../../components/registrations/results.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Column } from '../../../components/table-columns.ts';
import { useQuestion } from '../../../components/use-question.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';
import { WaiveDialog } from './waive-dialog.tsx';

const texts = registrations.units;

const COLUMNS: readonly Column<RegistrationUnit>[] = [
  {
    id: 'unit',
    label: texts.unit,
    card: 'title',
    cell: ({ title }) => <bdi className={styles.wrapped}>{title}</bdi>,
  },
  {
    id: 'state',
    label: texts.state,
    width: '8.5rem',
    cell: ({ completion, success, opened_dt, waived }) =>
      waived ? (
        <StatusBadge tone="good">{texts.waived}</StatusBadge>
      ) : (
        <RegistrationState registration={{ completion, success, launched_dt: opened_dt }} />
      ),
  },
  { id: 'score', label: texts.score, width: '5rem', align: 'end', cell: ({ score }) => formatScore(score) },
  {
    id: 'duration',
    label: texts.duration,
    width: '6.5rem',
    align: 'end',
    cell: ({ duration }) => formatSeconds(duration),
  },
];

/** The units of the course, with the learner's progress in the latest attempt. Those of cmi5 courses can be waived. */
export function UnitsPanel({ registration }: { registration: RegistrationWithUnits }) {
  const { attempt, units, registration_id: registrationId } = registration;
  const isAdmin = useIsAdmin();
  const waiving = useQuestion<'waive', RegistrationUnit>(({ unit_id }) => unit_id);
  const actions: Column<RegistrationUnit> = {
    id: 'actions',
    label: texts.actions,
    width: '6rem',
    align: 'end',
    card: 'actions',
    cell: (row) =>
      row.waivable && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.waive.of(row.title)}
          onClick={() => waiving.ask('waive', row)}
        >
          {texts.waive.action}
        </Button>
      ),
  };
  const canWaive = isAdmin && units.some(({ waivable }) => waivable);
  return (
    <Panel title={texts.title} description={texts.description(attempt)} flush>
      <DataRows
        label={texts.title}
        columns={canWaive ? [...COLUMNS, actions] : COLUMNS}
        rows={units}
        rowKey={({ unit_id }) => unit_id}
      />
      {waiving.asked !== null && (
        <WaiveDialog
          key={waiving.asked.of.unit_id}
          registrationId={registrationId}
          unit={waiving.asked.of}
          opened={waiving.isOpen('waive')}
          onClose={(unit) => waiving.close('waive', unit)}
        />
      )}
    </Panel>
  );
}
