import { Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { Panel } from '../../components/panel.tsx';
import { alerts } from '../../texts/alerts.ts';
import type { AlertFormState } from './alert-draft.ts';

const texts = alerts.form;
const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** The hours in which no alert is sent, and their time zone. */
export function QuietFields({ form, initialZone }: { form: AlertFormState; initialZone: string }) {
  return (
    <Panel title={texts.quiet}>
      <Stack gap="md">
        <Switch
          label={texts.quiet}
          description={texts.quietDescription}
          {...form.getInputProps('quiet', { type: 'checkbox' })}
        />
        {form.values.quiet && (
          <Group gap="md" align="flex-start">
            <TextInput type="time" label={texts.from} {...form.getInputProps('from')} />
            <TextInput type="time" label={texts.to} {...form.getInputProps('to')} />
            <Select
              label={texts.zone}
              searchable
              allowDeselect={false}
              data={zonesWith(initialZone)}
              {...form.getInputProps('time_zone')}
            />
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

/** The time zones to choose from, and the stored one, which the browser may list under another name. */
function zonesWith(stored: string): string[] {
  return TIME_ZONES.includes(stored) ? TIME_ZONES : [stored, ...TIME_ZONES];
}
