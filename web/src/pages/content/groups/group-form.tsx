import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { FormProblem } from '../../../components/form-problem.tsx';
import { SaveButton } from '../../../components/save-button.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { groups } from '../../../texts/content-groups.ts';
import { FolderField } from './folder-field.tsx';
import type { GroupDraft, GroupErrors, GroupKind } from './group-draft.ts';
import styles from './groups.module.css';
import { ItemsPanel } from './items-panel.tsx';
import { useGroupDraft } from './use-group-draft.ts';

/** Name, folder and contents of an equivalent or a bundle. */
export function GroupForm({
  kind,
  initial,
  savedFrom = null,
  location,
  isNew,
  readOnly,
  saving,
  problem,
  notice,
  onSave,
}: {
  kind: GroupKind;
  /** The saved version. If it changes, it replaces the draft. */
  initial: GroupDraft;
  /** The draft that `initial` was saved from, so that later input stays; null if it was read. */
  savedFrom?: GroupDraft | null;
  /** The location of the folder, as text. */
  location: string;
  isNew: boolean;
  readOnly: boolean;
  saving: boolean;
  problem: unknown;
  /** Shown above the form, such as a conflict and how to resolve it. */
  notice?: (draft: GroupDraft) => ReactNode;
  onSave: (draft: GroupDraft) => void;
}) {
  const { draft, errors, isRejected, changed, isAsSent, change, discard, checkToSend } = useGroupDraft(
    kind,
    initial,
    savedFrom,
    problem,
  );
  const form = useRef<HTMLFormElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  const first = useRef(initial);
  const canSave = isNew || changed;
  // Otherwise the next key would start at the top of the page.
  useEffect(() => {
    if (initial !== first.current && document.activeElement === document.body) submit.current?.focus();
  }, [initial]);
  const save = () => {
    if (saving || !canSave) return;
    const wrong = checkToSend();
    // After the errors are rendered.
    if (wrong !== null) requestAnimationFrame(() => focusFirstWrong(form.current, wrong));
    else onSave(draft);
  };
  return (
    <form
      ref={form}
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {!readOnly && <UnsavedChanges when={changed && !(saving && isAsSent)} />}
      {notice?.(draft) ?? (!isRejected && <FormProblem error={problem} />)}
      {!readOnly && (
        <div className={styles.fields}>
          <TextInput
            label={groups.name}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={errors.name}
            autoComplete="off"
            {...(isNew ? { 'data-autofocus': true } : {})}
          />
          <FolderField
            value={draft.folderId}
            location={location}
            onChange={(folderId) => change({ folderId })}
            error={errors.folder}
          />
        </div>
      )}
      <ItemsPanel
        kind={kind}
        items={draft.items}
        errors={errors}
        readOnly={readOnly}
        onChange={(items) => change({ items })}
      />
      {!readOnly && (
        <div className={styles.bar} data-changed={changed || undefined}>
          <SaveButton ref={submit} saving={saving} canSave={canSave}>
            {isNew ? groups.create : groups.save}
          </SaveButton>
          {changed && !isNew && (
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                discard();
                // This button disappears.
                submit.current?.focus();
              }}
            >
              {groups.discard}
            </Button>
          )}
        </div>
      )}
    </form>
  );
}

function focusFirstWrong(form: HTMLFormElement | null, wrong: GroupErrors): void {
  const addButton = wrong.items === undefined ? '' : ', [data-add]';
  form?.querySelector<HTMLElement>(`[aria-invalid=true]${addButton}`)?.focus();
}
