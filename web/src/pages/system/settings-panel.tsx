import { Title } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import type { SettingInForce } from '../../api/health.ts';
import { DataRows } from '../../components/data-rows.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { TableFilter } from '../../components/table-filter.tsx';
import { TableToolbar } from '../../components/table-toolbar.tsx';
import { useTable } from '../../components/use-table.ts';
import { system } from '../../texts/system.ts';
import { SettingValue } from './setting-value.tsx';
import styles from './system.module.css';
import { WithCode } from './with-code.tsx';

const texts = system.settings;

const COLUMNS: readonly Column<SettingInForce>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    card: 'title',
    width: '50%',
    cell: (setting) => (
      <div className={styles.setting}>
        <span className={styles.settingName}>
          <code className={styles.code}>{setting.name}</code>
          {!setting.is_default && <StatusBadge tone="info">{texts.differs}</StatusBadge>}
        </span>
        <p className={styles.meaning}>
          <WithCode text={setting.meaning} />
        </p>
      </div>
    ),
  },
  {
    id: 'value',
    label: texts.columns.value,
    width: '25%',
    cell: (setting) => <SettingValue value={setting.value} unit={setting.unit} />,
  },
  {
    id: 'default',
    label: texts.columns.default,
    cell: (setting) =>
      setting.default_in_words === null ? (
        <SettingValue value={setting.default} unit={setting.unit} />
      ) : (
        <WithCode text={setting.default_in_words} />
      ),
  },
];

/** All settings in force, by group. They can be searched, and filtered to those that differ from the default. */
export function SettingsPanel({ settings }: { settings: readonly SettingInForce[] }) {
  const table = useTable();
  const changed = settings.filter((setting) => !setting.is_default);
  const wanted = (table.values.search ?? '').toLowerCase();
  const shown = (table.values.show === 'changed' ? changed : settings).filter(
    ({ name, meaning }) => name.includes(wanted) || meaning.toLowerCase().includes(wanted),
  );
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <Panel title={texts.title} description={texts.description} flush>
      <TableToolbar
        table={table}
        columns={COLUMNS}
        order={undefined}
        onOrder={() => {}}
        offersOrder={false}
        searchLabel={texts.search}
        filters={
          <TableFilter
            table={table}
            name="show"
            label={texts.show}
            options={[{ value: 'changed', label: texts.changed(changed.length) }]}
          />
        }
        extra={undefined}
      />
      {shown.length === 0 && (
        <EmptyState
          icon={IconSearchOff}
          heading="h3"
          title={texts.nothing.title}
          description={wanted === '' ? texts.none : texts.nothing.description}
        />
      )}
      {groups.map((group) => (
        <div key={group} className={styles.group}>
          <Title order={3} className={styles.groupName}>
            {group}
          </Title>
          <DataRows
            label={group}
            columns={COLUMNS}
            rows={shown.filter((setting) => setting.group === group)}
            rowKey={({ name }) => name}
          />
        </div>
      ))}
    </Panel>
  );
}
