import { CloseButton, Loader, ScrollArea, TextInput, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { explainError } from '../components/explain-error.ts';
import { PHONE } from '../components/use-row-form.ts';
import { useMay, useWebhooksReadOnly } from '../session/session-context.ts';
import { palette } from '../texts/palette.ts';
import { shared } from '../texts/shared.ts';
import { useDebounced } from '../utilities/use-debounced.ts';
import styles from './command-palette.module.css';
import { matchingCommands } from './commands.ts';
import type { PaletteEntry, PaletteGroup } from './palette-entry.ts';
import { useFound } from './use-found.ts';

const TYPING_MS = 150;

/**
 * Finds any page, action, webhook, API client, account, content or registration by name, and opens it. It is a combobox
 * with a listbox, as in the WAI-ARIA authoring practices: the focus stays in the field, and arrow keys move the
 * selection.
 */
export function CommandPalette({
  onClose,
  onShortcuts,
}: {
  onClose: () => void;
  /** Shows the list of keyboard shortcuts. */
  onShortcuts: () => void;
}) {
  const navigate = useNavigate();
  const isPhone = useMediaQuery(PHONE);
  const permissions = { may: useMay(), webhooksReadOnly: useWebhooksReadOnly() };
  const [typed, setTyped] = useState('');
  const [selectedKey, setSelectedKey] = useState<string | null>(null);
  const text = typed.trim();
  const searched = useDebounced(text, TYPING_MS);
  const found = useFound(searched, permissions.may);
  // Results of an earlier text would be opened by mistake. Those of all kinds appear together, below the commands, so
  // that nothing moves under the selection.
  const isSearching = text !== '' && (searched !== text || found.isSearching);
  const groups = [
    ...matchingCommands(text, permissions, onShortcuts),
    ...(isSearching || text === '' ? [] : found.groups),
  ];
  const entries = groups.flatMap((group) => group.entries);
  const selected = entries.find(({ key }) => key === selectedKey) ?? entries[0];
  const listId = useId();

  const choose = ({ target }: PaletteEntry) => {
    onClose();
    if (typeof target === 'function') target();
    else void navigate(target);
  };
  const move = (steps: number) => {
    if (selected === undefined) return;
    const next = (entries.indexOf(selected) + steps + entries.length) % entries.length;
    setSelectedKey(entries[next]!.key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && selected !== undefined) choose(selected);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      withCloseButton={false}
      fullScreen={isPhone}
      padding={0}
      size="lg"
      centered={false}
      yOffset="12dvh"
      attributes={{ content: { 'aria-label': palette.label } }}
      classNames={{ body: styles.body }}
    >
      <TextInput
        aria-label={palette.label}
        placeholder={palette.placeholder}
        variant="unstyled"
        size="md"
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(selected === undefined ? {} : { 'aria-activedescendant': optionId(listId, selected) })}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setSelectedKey(null);
        }}
        onKeyDown={onKeyDown}
        leftSection={isSearching ? <Loader size={16} /> : <IconSearch size={18} stroke={1.6} aria-hidden />}
        rightSection={<CloseButton onClick={onClose} aria-label={shared.close} />}
        classNames={{ root: styles.field! }}
      />
      <ScrollArea.Autosize mah={isPhone ? 'calc(100dvh - 3.5rem)' : '60dvh'} type="auto">
        <div id={listId} role="listbox" aria-label={palette.label} className={styles.list}>
          {groups.map((group) => (
            <Group key={group.heading} group={group}>
              {group.entries.map((entry) => (
                <Option
                  key={entry.key}
                  id={optionId(listId, entry)}
                  entry={entry}
                  selected={entry === selected}
                  onSelect={() => setSelectedKey(entry.key)}
                  onChoose={() => choose(entry)}
                />
              ))}
            </Group>
          ))}
        </div>
        {/* Always there, because screen readers only announce changes of an element that is. */}
        <VisuallyHidden role="status">
          {text !== '' && !isSearching && palette.results(entries.length)}
        </VisuallyHidden>
        <Message text={text} isSearching={isSearching} count={entries.length} error={found.error} />
      </ScrollArea.Autosize>
    </Dialog>
  );
}

function Group({ group: { heading }, children }: { group: PaletteGroup; children: React.ReactNode }) {
  const id = useId();
  if (heading === '') return children;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, which a fieldset is not
    <div role="group" aria-labelledby={id}>
      <div id={id} className={styles.heading}>
        {heading}
      </div>
      {children}
    </div>
  );
}

function Option({
  id,
  entry: { label, note, icon: Icon },
  selected,
  onSelect,
  onChoose,
}: {
  id: string;
  entry: PaletteEntry;
  selected: boolean;
  onSelect: () => void;
  onChoose: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (selected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field, which keeps the focus, handles the keys
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      className={styles.option}
      onMouseMove={onSelect}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <bdi className={styles.label}>{label}</bdi>
      {note !== '' && <bdi className={styles.note}>{note}</bdi>}
    </div>
  );
}

function Message({
  text,
  isSearching,
  count,
  error,
}: {
  text: string;
  isSearching: boolean;
  count: number;
  error: Error | null;
}) {
  if (text === '') return <p className={styles.message}>{palette.hint}</p>;
  if (isSearching) return <p className={styles.message}>{palette.searching}</p>;
  return (
    <>
      {error !== null && (
        <p className={styles.message} role="alert">
          {palette.failed} {explainError(error).title}.
        </p>
      )}
      {error === null && count === 0 && <p className={styles.message}>{palette.nothing(text)}</p>}
    </>
  );
}

function optionId(listId: string, { key }: PaletteEntry): string {
  return `${listId}-${key.replaceAll(/[^\w-]/g, '-')}`;
}
