import type { RegistrationUnit, RegistrationWithUnits } from '../../../api/registrations.ts';
import { DataRows } from '../../../components/data-rows.tsx';
import { Panel } from '../../../components/panel.tsx';
import { RegistrationState } from '../../../components/registrations/registration-state.tsx';
import { formatClock, formatScore } from '../../../components/registrations/results.ts';
import type { Column } from '../../../components/table-columns.ts';
import { registrations } from '../../../texts/registrations.ts';
import styles from '../registrations.module.css';

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
    cell: ({ completion, success, opened_dt }) => (
      <RegistrationState registration={{ completion, success, launched_dt: opened_dt }} />
    ),
  },
  { id: 'score', label: texts.score, width: '5rem', align: 'end', cell: ({ score }) => formatScore(score) },
  {
    id: 'duration',
    label: texts.duration,
    width: '6.5rem',
    align: 'end',
    cell: ({ duration }) => formatClock(duration),
  },
];

/** The units of the course, with the learner's progress in the latest attempt. */
export function UnitsPanel({ registration: { attempt, units } }: { registration: RegistrationWithUnits }) {
  return (
    <Panel title={texts.title} description={texts.description(attempt)} flush>
      <DataRows label={texts.title} columns={COLUMNS} rows={units} rowKey={({ unit_id }) => unit_id} />
    </Panel>
  );
}
