import { Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { TARGET_FORMATS } from '../../../../src/alerts/rules/alert-rule.ts';
import { Panel } from '../../components/panel.tsx';
import { alerts } from '../../texts/alerts.ts';
import type { AlertFormState } from './alert-draft.ts';

const texts = alerts.form;

/** Where an alert is sent. */
export function NotifyFields({ form, storedOrigin }: { form: AlertFormState; storedOrigin: string | null }) {
  const { format } = form.values;
  const formats = ['NONE', ...TARGET_FORMATS] as const;
  return (
    <Panel title={texts.notify}>
      <Stack gap="md">
        <TagsInput
          label={texts.email}
          description={texts.emailDescription}
          acceptValueOnBlur
          splitChars={[',', ';', ' ']}
          {...form.getInputProps('email_to')}
        />
        <Select
          label={texts.format}
          data={formats.map((value) => ({ value, label: texts.formats[value] }))}
          allowDeselect={false}
          {...form.getInputProps('format')}
          onChange={(chosen) => {
            form.setFieldValue('format', formats.find((each) => each === chosen) ?? 'NONE');
            // It may say that neither is chosen.
            form.clearFieldError('email_to');
          }}
        />
        {format !== 'NONE' && (
          <TextInput
            label={texts.url}
            description={storedOrigin === null ? texts.urlDescription : texts.urlKept(storedOrigin)}
            type="url"
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('url')}
          />
        )}
      </Stack>
    </Panel>
  );
}
