import { TextInput } from '@mantine/core';
import { shared } from '../texts/shared.ts';
import { Callout } from './callout.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './secret-once.module.css';
import { UnsavedChanges } from './unsaved-changes.tsx';

/**
 * A secret that is shown only once: the value, a button to copy it, and a warning. It asks before the page is left:
 * the back gesture, with which people close dialogs on a phone, would lose the secret.
 */
export function SecretOnce({
  label,
  value,
  note = shared.secret.once,
}: {
  label: string;
  value: string;
  note?: string;
}) {
  return (
    <div className={styles.secret}>
      <div className={styles.row}>
        <TextInput
          label={label}
          value={value}
          readOnly
          autoComplete="off"
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
          classNames={{ root: styles.field ?? '', input: styles.value ?? '' }}
        />
        <CopyButton value={value} wide />
      </div>
      <Callout tone="warn">{note}</Callout>
      <UnsavedChanges when question={shared.secret.leaving} isShownIn={JSON.stringify} above="popover" />
    </div>
  );
}
