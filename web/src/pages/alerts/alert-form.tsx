import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { AlertConfiguration } from '../../api/alerts.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { FormProblem } from '../../components/form-problem.tsx';
import { UnsavedChanges } from '../../components/unsaved-changes.tsx';
import { type AlertDraft, configurationOf, draftChecks } from './alert-draft.ts';
import { MEMBERS_WITH_FIELD, showErrors } from './alert-form-errors.ts';
import styles from './alerts.module.css';
import { ConditionFields } from './condition-fields.tsx';
import { NotifyFields } from './notify-fields.tsx';
import { QuietFields } from './quiet-fields.tsx';

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
        <FormProblem error={error} fields={MEMBERS_WITH_FIELD} />
        <ConditionFields form={form} />
        <NotifyFields form={form} storedOrigin={storedOrigin} />
        <QuietFields form={form} initialZone={initial.time_zone} />
        <FormButtons submit={submitLabel} pending={pending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
