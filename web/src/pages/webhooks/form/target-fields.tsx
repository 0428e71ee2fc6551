import { PasswordInput, Radio, Switch, TextInput } from '@mantine/core';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { Choice } from './choice.tsx';
import type { Draft } from './draft.ts';
import type { FieldErrors } from './draft-checks.ts';
import styles from './form.module.css';

const { fields } = webhookEditing;

/** Name, target URL, authentication, and whether it is active. */
export function TargetFields({
  draft,
  secret,
  secretStays,
  secretMoves,
  isNew,
  errors,
  onChange,
  onSecret,
}: {
  draft: Draft;
  secret: string;
  /** Whether the stored secret is kept if none is entered. */
  secretStays: boolean;
  /** Whether it must be entered again, because the target has changed. */
  secretMoves: boolean;
  isNew: boolean;
  errors: FieldErrors;
  onChange: (change: Partial<Draft>) => void;
  onSecret: (secret: string) => void;
}) {
  const readOnly = useWebhooksReadOnly();
  const secretNote = secretStays
    ? fields.secretStays
    : secretMoves
      ? fields.secretMoves
      : fields.secretDescription;
  return (
    <div className={styles.fields}>
      <TextInput
        label={fields.name}
        description={fields.nameDescription}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={errors.name}
        required
        withAsterisk={false}
        autoComplete="off"
        data-field="name"
        {...(isNew ? { 'data-autofocus': true } : {})}
      />
      <TextInput
        label={fields.targetUrl}
        description={fields.targetUrlDescription}
        value={draft.targetUrl}
        onChange={(event) => onChange({ targetUrl: event.currentTarget.value })}
        error={errors.target_url}
        required
        withAsterisk={false}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        data-field="target_url"
      />
      <Radio.Group
        label={fields.authentication}
        value={draft.authentication}
        onChange={(value) => onChange({ authentication: value === 'BASIC' ? 'BASIC' : 'NONE' })}
      >
        <div className={`${styles.choices} ${styles.columns}`}>
          <Choice value="NONE" label={fields.none} description={fields.noneDescription} />
          <Choice value="BASIC" label={fields.basic} description={fields.basicDescription} />
        </div>
      </Radio.Group>
      {draft.authentication === 'BASIC' && (
        <div className={styles.pair}>
          <TextInput
            label={fields.key}
            value={draft.key}
            onChange={(event) => onChange({ key: event.currentTarget.value })}
            error={errors['authentication.key']}
            required
            withAsterisk={false}
            autoComplete="off"
            spellCheck={false}
            data-field="authentication.key"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
          <PasswordInput
            label={fields.secret}
            description={secretNote}
            value={secret}
            onChange={(event) => onSecret(event.currentTarget.value)}
            error={errors['authentication.secret']}
            autoComplete="new-password"
            data-field="authentication.secret"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
        </div>
      )}
      <Switch
        label={fields.enabled}
        description={readOnly ? fields.enabledDescriptionReadOnly : fields.enabledDescription}
        checked={draft.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
    </div>
  );
}
