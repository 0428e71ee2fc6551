import { Button, Group, Modal, ModalStackContext, Select, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useContext, useId, useLayoutEffect, useRef, useState } from 'react';
import { assetKey } from '../../../../src/events/asset-key.ts';
import type { FocusType } from '../../../../src/events/catalogue.ts';
import { viewIn } from '../../navigation/view-in.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { shared } from '../../texts/shared.ts';
import { useDebounced } from '../../utilities/use-debounced.ts';
import { DiscardQuestion } from '../form-dialog.tsx';
import { FormProblem } from '../form-problem.tsx';
import { UnsavedChanges } from '../unsaved-changes.tsx';
import { useReturnFocus } from '../use-return-focus.ts';
import { moveWithArrows } from './arrow-keys.ts';
import { ChosenList } from './chosen-list.tsx';
import styles from './content-dialog.module.css';
import { type Choice, ContentMatches, type FoundChoices } from './content-matches.tsx';

const TYPING_MS = 200;
const PAGE_SIZE = 50;

/** The search for choices. */
export interface ChoiceFilter<T extends Choice> {
  types: readonly T['type'][];
  search: string;
  limit: number;
  offset: number;
}

interface ContentDialogProps<T extends Choice> {
  types: readonly T['type'][];
  /** A hook that reads a page of the choices. */
  useFound: (filter: ChoiceFilter<T>) => FoundChoices<T>;
  /** Choices that were added earlier, in addition to those marked in the results. */
  existing?: readonly { type: FocusType; id: number }[];
  /** Maximum number of choices. */
  max: number;
  /** Whether only one can be chosen. Choosing it closes the dialog. */
  single?: boolean;
  /** Explains what adding the selected ones does. */
  note?: (chosen: readonly T[]) => ReactNode;
  /** Words that differ from those for content. */
  words?: {
    search?: string;
    results?: string;
    noContent?: string;
    noneChosen?: string;
    submit?: (count: number) => string;
  };
  /** How far a long change is. */
  progress?: string | null;
  error?: Error | null;
  saving?: boolean;
  /** Whether leaving the page asks first. A form that asks about its own changes does not need it. */
  asksBeforeLeaving?: boolean;
  onAdd: (assets: readonly T[]) => void;
  onClose: () => void;
}

/**
 * Chooses content or accounts by name: many at once, over several searches and pages, or one. Its close button and the
 * Escape key ask before choices are lost. While they are being saved, only Cancel closes it.
 */
export function ContentDialog<T extends Choice>({
  title,
  ...props
}: ContentDialogProps<T> & { opened: boolean; title: string }) {
  const { opened, single = false, saving = false, asksBeforeLeaving = false, onClose } = props;
  const id = useId();
  const [hasChoices, setHasChoices] = useState(false);
  const [asking, setAsking] = useState(false);
  // Back also closes the dialog, with its question.
  if (asking && !opened) setAsking(false);
  // In front of a form in a dialog, the Escape key belongs to the last one of all dialogs.
  const isInStack = useContext(ModalStackContext) !== null;
  // In a Modal.Stack, Mantine forgets to return the focus.
  useReturnFocus(opened);
  const close = () => {
    if (saving) return;
    if (hasChoices) setAsking(true);
    else onClose();
  };
  const dialogs = (
    <>
      <Modal
        stackId={id}
        opened={opened}
        onClose={close}
        returnFocus={false}
        closeOnClickOutside={single}
        withCloseButton={!saving}
        title={title}
        size="lg"
      >
        <ContentForm {...props} onChanged={setHasChoices} />
      </Modal>
      <DiscardQuestion
        stackId={`${id}-discard`}
        opened={opened && asking}
        onKeep={() => setAsking(false)}
        onDiscard={() => {
          setAsking(false);
          onClose();
        }}
      />
      {asksBeforeLeaving && (
        <UnsavedChanges
          when={opened && hasChoices}
          question={saving ? shared.running : shared.unsaved}
          isShownIn={viewIn}
        />
      )}
    </>
  );
  return isInStack ? dialogs : <Modal.Stack>{dialogs}</Modal.Stack>;
}

function ContentForm<T extends Choice>({
  types,
  useFound,
  existing = [],
  max,
  single = false,
  note,
  words = {},
  progress = null,
  error = null,
  saving = false,
  onAdd,
  onChanged,
  onClose,
}: ContentDialogProps<T> & { onChanged: (hasChoices: boolean) => void }) {
  const [typed, setTyped] = useState('');
  const [type, setType] = useState<T['type'] | null>(null);
  const [chosen, setChosen] = useState<ReadonlyMap<string, T>>(new Map());
  const [submitted, setSubmitted] = useState(false);
  const searchField = useRef<HTMLInputElement>(null);
  const search = useDebounced(typed.trim(), TYPING_MS);
  // Another search or type starts at its first page.
  const [at, setAt] = useState({ search, type, page: 1 });
  const page = at.search === search && at.type === type ? at.page : 1;
  const found = useFound({
    types: type === null ? types : [type],
    search,
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  });
  const choose = (assets: readonly T[], isChosen: boolean) => {
    if (single) {
      onAdd(assets);
      return;
    }
    setSubmitted(false);
    setChosen((before) => {
      const after = new Map(before);
      for (const asset of assets) {
        if (isChosen) after.set(assetKey(asset), asset);
        else after.delete(assetKey(asset));
      }
      return after;
    });
  };
  const assets = [...chosen.values()];
  const hasChoices = assets.length > 0;
  useLayoutEffect(() => {
    onChanged(hasChoices);
    return () => onChanged(false);
  }, [hasChoices, onChanged]);
  const tooMany = assets.length > max;
  const problem = tooMany
    ? texts.tooMany(max)
    : submitted && assets.length === 0
      ? texts.nothingChosen
      : null;
  const added = new Set(existing.map(assetKey));
  return (
    <form
      className={styles.form}
      onKeyDown={moveWithArrows}
      onSubmit={(event) => {
        event.preventDefault();
        // The dialog may have been opened from another form.
        event.stopPropagation();
        setSubmitted(true);
        if (assets.length === 0 || tooMany) searchField.current?.focus();
        else if (!saving) onAdd(assets);
      }}
    >
      <FormProblem error={error} />
      <div className={styles.finding} data-single={types.length === 1 || undefined}>
        <TextInput
          ref={searchField}
          type="search"
          label={words.search ?? texts.search}
          placeholder={texts.searchPlaceholder}
          maxLength={200}
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          // Enter searches for the text. It adds nothing. Escape clears the text, and only then closes the dialog.
          data-mantine-stop-propagation={typed === '' ? undefined : true}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
            if (event.key === 'Escape') setTyped('');
          }}
          data-autofocus
        />
        {types.length > 1 && (
          <Select
            label={texts.type}
            value={type ?? ''}
            onChange={(value) => setType(value === '' ? null : (value as T['type'] | null))}
            allowDeselect={false}
            data={[
              { value: '', label: texts.all },
              ...types.map((value) => ({ value, label: texts.types[value] })),
            ]}
          />
        )}
      </div>
      <ContentMatches
        found={found.data}
        error={found.error}
        retry={() => void found.refetch()}
        isStale={found.isPlaceholderData}
        label={words.results ?? texts.results}
        none={words.noContent ?? texts.noContent}
        isSearch={search !== '' || type !== null}
        page={page}
        onPage={(chosenPage) => setAt({ search, type, page: chosenPage })}
        isAdded={(asset) => asset.held || added.has(assetKey(asset))}
        chosen={chosen}
        single={single}
        onChoose={choose}
      />
      {!single && (
        <Chosen
          none={words.noneChosen ?? texts.noneChosen}
          assets={assets}
          onRemove={(asset) => choose([asset], false)}
        />
      )}
      {note !== undefined && (
        <Text size="sm" c="dimmed">
          {note(assets)}
        </Text>
      )}
      <div className={styles.row}>
        <span role="alert" className={styles.problem}>
          {problem}
        </span>
        <span role="status">{progress}</span>
        <Group gap="sm" ml="auto">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          {!single && (
            <Button type="submit" loading={saving}>
              {(words.submit ?? texts.submit)(assets.length)}
            </Button>
          )}
        </Group>
      </div>
    </form>
  );
}

function Chosen<T extends Choice>({
  none,
  assets,
  onRemove,
}: {
  none: string;
  assets: readonly T[];
  onRemove: (asset: T) => void;
}) {
  if (assets.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  }
  return (
    <div>
      <div className={styles.row} role="status">
        {texts.chosen(assets.length)}
      </div>
      <ChosenList label={texts.chosenLabel} assets={assets} removeLabel={texts.remove} onRemove={onRemove} />
    </div>
  );
}
