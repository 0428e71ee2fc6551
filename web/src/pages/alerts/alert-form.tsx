import {
  Group,
  MultiSelect,
  NumberInput,
  Radio,
  Select,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CONDITIONS, TARGET_FORMATS } from '../../../../src/alerts/rules/alert-rule.ts';
import { MAX_NAME_LENGTH } from '../../../../src/text-lengths.ts';
import type { AlertConfiguration } from '../../api/alerts.ts';
import { ApiError } from '../../api/errors.ts';
import { foundWebhooksQuery, webhookNameQueries } from '../../api/webhooks.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { FormProblem, fieldOf } from '../../components/form-problem.tsx';
import { Panel } from '../../components/panel.tsx';
import { UnsavedChanges } from '../../components/unsaved-changes.tsx';
import { alerts } from '../../texts/alerts.ts';
import { type AlertDraft, configurationOf, draftChecks, hasMinutes, isAboutWebhooks } from './alert-draft.ts';
import styles from './alerts.module.css';

const texts = alerts.form;
/** The members of the API, and the fields that show their errors. */
const FIELDS: Readonly<Record<string, keyof AlertDraft>> = {
  name: 'name',
  minutes: 'minutes',
  webhook_ids: 'webhook_ids',
  email_to: 'email_to',
  'target.url': 'url',
  'quiet_hours.to': 'to',
  'quiet_hours.from': 'from',
  'quiet_hours.time_zone': 'time_zone',
};
const TIME_ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

type Form = UseFormReturnType<AlertDraft>;

/** The form of an alert rule. */
export function AlertForm({
  initial,
  storedOrigin,
  submitLabel,
  notice,
  error,
  pending,
  onSubmit,
  onCancel,
}: {
  initial: AlertDraft;
  /** The origin of the stored URL; null if there is none. */
  storedOrigin: string | null;
  submitLabel: string;
  notice?: ReactNode;
  error: unknown;
  pending: boolean;
  /** Rejects with the error of the service, which is shown at its field. */
  onSubmit: (configuration: AlertConfiguration) => Promise<unknown>;
  onCancel: () => void;
}) {
  const form = useForm<AlertDraft>({ initialValues: initial, validate: draftChecks(storedOrigin !== null) });
  const send = async (draft: AlertDraft) => {
    if (pending) return;
    try {
      await onSubmit(configurationOf(draft));
    } catch (problem) {
      showErrors(form, problem);
    }
  };
  return (
    <form
      noValidate
      className={styles.form}
      onSubmit={form.onSubmit(
        (draft) => void send(draft),
        (errors) => {
          const [first] = Object.keys(errors);
          if (first !== undefined) form.getInputNode(first)?.focus();
        },
      )}
    >
      <UnsavedChanges when={form.isDirty() && !pending} />
      <Stack gap="lg">
        {notice}
        <FormProblem error={error} fields={fieldsIn(error)} />
        <ConditionFields form={form} />
        <NotifyFields form={form} storedOrigin={storedOrigin} />
        <QuietFields form={form} initialZone={initial.time_zone} />
        <FormButtons submit={submitLabel} pending={pending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}

function ConditionFields({ form }: { form: Form }) {
  const { condition, scope } = form.values;
  return (
    <Panel title={texts.watched}>
      <Stack gap="md">
        <TextInput
          label={texts.name}
          maxLength={MAX_NAME_LENGTH}
          autoComplete="off"
          data-path="name"
          {...form.getInputProps('name')}
        />
        <Radio.Group label={texts.condition} {...form.getInputProps('condition')}>
          <Stack gap="xs" mt={6}>
            {CONDITIONS.map((each) => (
              <Radio
                key={each}
                value={each}
                label={alerts.conditions[each].name}
                description={alerts.conditions[each].meaning}
              />
            ))}
          </Stack>
        </Radio.Group>
        {hasMinutes(condition) && (
          <NumberInput
            label={texts.minutes}
            min={1}
            allowDecimal={false}
            allowNegative={false}
            w="14rem"
            data-path="minutes"
            {...form.getInputProps('minutes')}
          />
        )}
        {isAboutWebhooks(condition) && (
          <Radio.Group label={texts.scope} {...form.getInputProps('scope')}>
            <Group gap="lg" mt={6}>
              <Radio value="all" label={texts.allWebhooks} />
              <Radio value="some" label={texts.someWebhooks} />
            </Group>
          </Radio.Group>
        )}
        {isAboutWebhooks(condition) && scope === 'some' && <WebhooksField form={form} />}
        <Switch label={texts.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
      </Stack>
    </Panel>
  );
}

function WebhooksField({ form }: { form: Form }) {
  const [search, setSearch] = useState('');
  const { data } = useQuery(foundWebhooksQuery(search.trim()));
  const [chosenBefore] = useState(form.values.webhook_ids);
  const namesBefore = new Map(
    useQueries({ queries: webhookNameQueries(chosenBefore) }).flatMap(({ data: read }) => [...(read ?? [])]),
  );
  /** Names of webhooks that were found, so that chosen ones keep theirs during another search. */
  const [names] = useState(() => new Map<number, string>());
  for (const { id, name } of data?.data ?? []) names.set(id, name);
  const ids = new Set([...form.values.webhook_ids, ...(data?.data ?? []).map(({ id }) => id)]);
  return (
    <MultiSelect
      label={texts.webhooks}
      placeholder={texts.webhooksPlaceholder}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      data={[...ids].map((id) => ({
        value: String(id),
        label: names.get(id) ?? namesBefore.get(id) ?? `#${id}`,
      }))}
      value={form.values.webhook_ids.map(String)}
      onChange={(chosen) => form.setFieldValue('webhook_ids', chosen.map(Number))}
      error={form.errors.webhook_ids}
      data-path="webhook_ids"
    />
  );
}

function NotifyFields({ form, storedOrigin }: { form: Form; storedOrigin: string | null }) {
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
          data-path="email_to"
          {...form.getInputProps('email_to')}
        />
        <Select
          label={texts.format}
          data={formats.map((value) => ({ value, label: texts.formats[value] }))}
          allowDeselect={false}
          {...form.getInputProps('format')}
        />
        {format !== 'NONE' && (
          <TextInput
            label={texts.url}
            description={storedOrigin === null ? texts.urlDescription : texts.urlKept(storedOrigin)}
            type="url"
            autoComplete="off"
            spellCheck={false}
            data-path="url"
            {...form.getInputProps('url')}
          />
        )}
      </Stack>
    </Panel>
  );
}

function QuietFields({ form, initialZone }: { form: Form; initialZone: string }) {
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
            <TextInput type="time" label={texts.from} data-path="from" {...form.getInputProps('from')} />
            <TextInput type="time" label={texts.to} data-path="to" {...form.getInputProps('to')} />
            <Select
              label={texts.zone}
              searchable
              allowDeselect={false}
              data={zonesWith(initialZone)}
              data-path="time_zone"
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

/** The field for a member of the API: `email_to.1` → `email_to`. */
function formFieldOf(pointer: string): keyof AlertDraft | undefined {
  const member = fieldOf(pointer);
  return FIELDS[member] ?? FIELDS[member.replace(/\.\d+$/, '')];
}

function fieldsIn(error: unknown): string[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .filter(({ pointer }) => formFieldOf(pointer) !== undefined)
    .map(({ pointer }) => fieldOf(pointer));
}

function showErrors(form: Form, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const errors: Record<string, string> = {};
  for (const { pointer, detail } of error.errors) {
    const field = formFieldOf(pointer);
    if (field !== undefined) errors[field] ??= detail.charAt(0).toUpperCase() + detail.slice(1);
  }
  form.setErrors(errors);
  const [first] = Object.keys(errors);
  if (first !== undefined) form.getInputNode(first)?.focus();
}
