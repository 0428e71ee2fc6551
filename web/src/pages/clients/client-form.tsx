import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { SCOPES, type Scope } from '../../../../src/identity/scopes.ts';
import type { ClientInput } from '../../api/clients.ts';
import { Callout } from '../../components/callout.tsx';
import { focusesFirstField } from '../../components/focus-heading.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { FormProblem, showFieldErrors } from '../../components/form-problem.tsx';
import { nameFault } from '../../components/name-fault.ts';
import { UnsavedChanges } from '../../components/unsaved-changes.tsx';
import { clients } from '../../texts/clients.ts';
import styles from './clients.module.css';
import { READS } from './read-scopes.ts';

const FIELDS = ['name', 'email', 'scopes'] as const;
/** A rough check; the service checks exactly. */
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const { form: texts } = clients;

/** The editable data of a client: name, contact and scopes. */
export function ClientForm({
  initial,
  mayLackScopes = false,
  notice,
  note,
  submitLabel,
  error,
  pending,
  onSubmit,
  onChanged,
  onClose,
}: {
  initial: ClientInput;
  /** Whether no scope is allowed. */
  mayLackScopes?: boolean;
  /** A notice before saving. */
  notice?: ReactNode;
  /** The effect of saving. */
  note?: string;
  submitLabel: string;
  error: unknown;
  pending: boolean;
  /** Rejects with the error of the service, which is shown at its field. */
  onSubmit: (values: ClientInput) => Promise<unknown>;
  /** Called with whether there is unsaved input. */
  onChanged: (changed: boolean) => void;
  onClose: () => void;
}) {
  const form = useForm<ClientInput>({
    initialValues: initial,
    validate: {
      name: (name) => nameFault(name, texts.checks.name),
      email: emailFault,
      scopes: (scopes) => (mayLackScopes ? null : scopesFault(scopes)),
    },
  });
  const changed = form.isDirty();
  useLayoutEffect(() => {
    onChanged(changed);
    return () => onChanged(false);
  }, [changed, onChanged]);
  const said = useRef<HTMLDivElement>(null);
  const isSaid = (error !== null && error !== undefined) || Boolean(notice);
  // The form is longer than a phone's window. Whoever has just saved is at its end and would not see the message.
  useEffect(() => {
    if (isSaid) said.current?.scrollIntoView({ block: 'nearest' });
  }, [isSaid]);
  const send = async ({ name, email, scopes }: ClientInput) => {
    if (pending) return;
    const ordered = SCOPES.filter((scope) => scopes.includes(scope));
    try {
      await onSubmit({ name: name.trim(), email: email.trim(), scopes: ordered });
    } catch (problem) {
      showFieldErrors(form, problem, FIELDS);
    }
  };
  return (
    <form
      ref={focusesFirstField}
      noValidate
      onSubmit={form.onSubmit(
        (values) => void send(values),
        (errors) => {
          const first = FIELDS.find((field) => field in errors);
          if (first !== undefined) form.getInputNode(first)?.focus();
        },
      )}
    >
      <UnsavedChanges when={changed && !pending} />
      <Stack gap="md">
        <div ref={said} className={styles.said}>
          {notice}
          <FormProblem error={error} fields={FIELDS} />
        </div>
        <TextInput
          label={texts.name}
          description={texts.nameDescription}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={texts.email}
          description={texts.emailDescription}
          type="email"
          autoComplete="off"
          {...form.getInputProps('email')}
        />
        <ScopesField
          value={form.values.scopes}
          error={form.errors.scopes}
          onChange={(scopes) => form.setFieldValue('scopes', scopes)}
        />
        {mayLackScopes && form.values.scopes.length === 0 && (
          <Callout tone="quiet">{texts.withoutScopes}</Callout>
        )}
        {note !== undefined && <Callout tone="quiet">{note}</Callout>}
        <FormButtons submit={submitLabel} pending={pending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function ScopesField({
  value,
  error,
  onChange,
}: {
  value: readonly Scope[];
  error: ReactNode;
  onChange: (scopes: Scope[]) => void;
}) {
  const id = useId();
  const describedBy = `${id}-description`;
  const faultId = `${id}-fault`;
  const isWrong = error !== undefined && error !== null;
  return (
    <fieldset
      className={styles.scopes}
      aria-describedby={isWrong ? `${describedBy} ${faultId}` : describedBy}
    >
      <legend className={styles.legend}>{texts.scopes}</legend>
      <div className={styles.scopesHead}>
        <span id={describedBy} className={styles.quiet}>
          {texts.scopesDescription}
        </span>
        <div className={styles.presets}>
          <Button variant="subtle" size="compact-xs" onClick={() => onChange([...READS])}>
            {texts.chooseReads}
          </Button>
          <Button variant="subtle" size="compact-xs" onClick={() => onChange([...SCOPES])}>
            {texts.chooseAll}
          </Button>
        </div>
      </div>
      {SCOPES.map((scope, at) => (
        <Checkbox
          key={scope}
          checked={value.includes(scope)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.checked ? [...value, scope] : value.filter((each) => each !== scope))
          }
          label={<span className={styles.code}>{scope}</span>}
          description={texts.meanings[scope]}
          {...(at === 0 ? { 'data-path': 'scopes' } : {})}
          aria-invalid={isWrong || undefined}
        />
      ))}
      {isWrong && (
        <div id={faultId} className={styles.wrong} role="alert">
          {error}
        </div>
      )}
    </fieldset>
  );
}

function emailFault(email: string): string | null {
  return EMAIL.test(email.trim()) ? null : texts.checks.email;
}

function scopesFault(scopes: readonly Scope[]): string | null {
  return scopes.length === 0 ? texts.checks.scopes : null;
}
