import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { assetKey } from '../../../../../src/events/asset-key.ts';
import { type AddableContent, contentFinder } from '../../../api/addable-content.ts';
import type { BundledType } from '../../../api/bundles.ts';
import { ApiError } from '../../../api/errors.ts';
import { Callout } from '../../../components/callout.tsx';
import { ContentDialog } from '../../../components/content-dialog/content-dialog.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { Panel } from '../../../components/panel.tsx';
import { SaveButton } from '../../../components/save-button.tsx';
import { UnsavedChanges } from '../../../components/unsaved-changes.tsx';
import { groups } from '../../../texts/content-groups.ts';
import { languageName } from '../../../utilities/language-name.ts';
import { FolderField } from './folder-field.tsx';
import {
  afterSaving,
  checkDraft,
  errorsFromService,
  type GroupDraft,
  type GroupErrors,
  type GroupItem,
  type GroupKind,
  isSameDraft,
  MAX_ITEMS,
  NO_ERRORS,
} from './group-draft.ts';
import styles from './groups.module.css';
import { LanguageField } from './language-field.tsx';
import { OrderedList } from './ordered-list.tsx';

const TYPES: Readonly<Record<GroupKind, readonly BundledType[]>> = {
  equivalent: ['COURSE'],
  bundle: ['COURSE', 'EQUIVALENT'],
};

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
  const words = groups[kind];
  const [draft, setDraft] = useState(initial);
  const [found, setFound] = useState<GroupErrors>(NO_ERRORS);
  const [started, setStarted] = useState(initial);
  if (started !== initial) {
    setStarted(initial);
    setDraft(savedFrom === null ? initial : afterSaving(draft, savedFrom, initial));
    setFound(NO_ERRORS);
  }
  const [adding, setAdding] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  const first = useRef(initial);
  const sent = useRef(initial);
  const rejected =
    problem instanceof ApiError && draft === sent.current
      ? errorsFromService(draft, problem.errors)
      : NO_ERRORS;
  const errors = isEmpty(found) ? rejected : found;
  const changed = !isSameDraft(draft, initial);
  const canSave = isNew || changed;
  const isSent = saving && draft === sent.current;
  // Otherwise the next key would start at the top of the page.
  useEffect(() => {
    if (started !== first.current && document.activeElement === document.body) submit.current?.focus();
  }, [started]);
  const change = (members: Partial<GroupDraft>) => {
    setDraft((before) => ({ ...before, ...members }));
    setFound(NO_ERRORS);
  };
  const changeItem = (key: string, members: Partial<GroupItem>) =>
    change({ items: draft.items.map((item) => (item.key === key ? { ...item, ...members } : item)) });
  const add = (added: readonly AddableContent[]) => {
    const items = added.map(({ type, id, name }) => ({
      key: assetKey({ type, id }),
      type: type as BundledType,
      id,
      name,
      language: '',
    }));
    change({ items: [...draft.items, ...items] });
    setAdding(false);
  };
  const save = () => {
    if (saving || !canSave) return;
    const wrong = checkDraft(kind, draft);
    setFound(wrong ?? NO_ERRORS);
    if (wrong !== null) {
      // After the errors are rendered.
      requestAnimationFrame(() => focusFirstWrong(form.current, wrong));
      return;
    }
    sent.current = draft;
    onSave(draft);
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
      {!readOnly && <UnsavedChanges when={changed && !isSent} />}
      {notice?.(draft) ?? (isEmpty(rejected) && <FormProblem error={problem} />)}
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
            readOnly={readOnly}
          />
        </div>
      )}
      <Panel
        title={words.contents}
        description={
          <>
            {words.contentsDescription}{' '}
            {draft.items.length > 0 && groups.count(draft.items.length, MAX_ITEMS)}
          </>
        }
        actions={
          !readOnly && (
            <Button
              variant="default"
              data-add
              leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              {words.add}
            </Button>
          )
        }
      >
        {errors.items !== undefined && (
          <Callout tone="bad" live>
            {errors.items}
          </Callout>
        )}
        {draft.items.length === 0 ? (
          <div className={styles.nothing}>{words.none}</div>
        ) : (
          <OrderedList
            label={words.contents}
            items={draft.items}
            onChange={(items) => change({ items })}
            errors={errors.ofItem}
            readOnly={readOnly}
            detail={(item) =>
              kind === 'equivalent' ? (
                readOnly ? (
                  <span className={styles.languageRead}>
                    {languageName(item.language) ?? item.language}{' '}
                    <span className={styles.tag}>{item.language}</span>
                  </span>
                ) : (
                  <LanguageField
                    label={groups.languageOf(item.name)}
                    value={item.language}
                    onChange={(language) => changeItem(item.key, { language })}
                    error={errors.ofItem.get(item.key)}
                  />
                )
              ) : (
                errors.ofItem.has(item.key) && (
                  <span className={styles.wrong}>{errors.ofItem.get(item.key)}</span>
                )
              )
            }
          />
        )}
      </Panel>
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
                setDraft(initial);
                setFound(NO_ERRORS);
                // This button disappears.
                submit.current?.focus();
              }}
            >
              {groups.discard}
            </Button>
          )}
        </div>
      )}
      <ContentDialog
        opened={adding}
        title={words.add}
        types={TYPES[kind]}
        useFound={contentFinder(null)}
        existing={draft.items}
        max={MAX_ITEMS - draft.items.length}
        onAdd={add}
        onClose={() => setAdding(false)}
      />
    </form>
  );
}

function focusFirstWrong(form: HTMLFormElement | null, wrong: GroupErrors): void {
  const addButton = wrong.items === undefined ? '' : ', [data-add]';
  form?.querySelector<HTMLElement>(`[aria-invalid=true]${addButton}`)?.focus();
}

function isEmpty({ name, folder, items, ofItem }: GroupErrors): boolean {
  return name === undefined && folder === undefined && items === undefined && ofItem.size === 0;
}
