import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { assetKey } from '../../../../src/events/asset-key.ts';
import type { FocusType } from '../../../../src/events/catalogue.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { shared } from '../../texts/shared.ts';
import { FormProblem } from '../form-problem.tsx';
import { SaveButton } from '../save-button.tsx';
import { moveWithArrows } from './arrow-keys.ts';
import type { Choice, ChoiceFilter, FoundChoices } from './choice.ts';
import { ChoiceSearchFields } from './choice-search-fields.tsx';
import { ChosenList } from './chosen-list.tsx';
import styles from './content-dialog.module.css';
import { ContentMatches } from './content-matches.tsx';
import { useChoiceSearch } from './use-choice-search.ts';
import { useChoices } from './use-choices.ts';

/** The items to choose from, and what happens to the choices. */
export interface ContentFormProps<T extends Choice> {
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
  onAdd: (assets: readonly T[]) => void;
  onClose: () => void;
}

/** The form in the content dialog: the search, its results, and what has been chosen. */
export function ContentForm<T extends Choice>({
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
}: ContentFormProps<T> & { onChanged: (hasChoices: boolean) => void }) {
  const searchField = useRef<HTMLInputElement>(null);
  const search = useChoiceSearch<T>(types);
  const found = useFound(search.filter);
  const { chosen, assets, choose, problem, check } = useChoices<T>(max, onChanged);
  const added = new Set(existing.map(assetKey));
  const { page, setPage } = search;
  const { data } = found;
  useEffect(() => {
    // Others have removed what was on this page and maybe on those before it.
    if (data === undefined || found.isPlaceholderData || data.data.length > 0) return;
    const last = Math.max(1, Math.ceil(data.total / data.limit));
    if (page > last) setPage(last);
  }, [data, found.isPlaceholderData, page, setPage]);
  // They were chosen from a page that was read before they were added.
  const deselectHeld = useEffectEvent((shown: readonly T[]) => {
    const held = shown.filter((asset) => asset.held && chosen.has(assetKey(asset)));
    if (held.length > 0) choose(held, false);
  });
  useEffect(() => deselectHeld(data?.data ?? []), [data]);
  return (
    <form
      className={styles.form}
      onKeyDown={moveWithArrows}
      onSubmit={(event) => {
        event.preventDefault();
        // The dialog may have been opened from another form.
        event.stopPropagation();
        if (!check()) searchField.current?.focus();
        else if (!saving) onAdd(assets);
      }}
    >
      <FormProblem error={error} />
      <ChoiceSearchFields
        ref={searchField}
        label={words.search ?? texts.search}
        types={types}
        search={search}
      />
      <ContentMatches
        found={found.data}
        error={found.error}
        retry={() => void found.refetch()}
        isStale={found.isPlaceholderData}
        label={words.results ?? texts.results}
        none={words.noContent ?? texts.noContent}
        isSearch={search.isSearch}
        page={search.page}
        onPage={search.setPage}
        isAdded={(asset) => asset.held || added.has(assetKey(asset))}
        chosen={chosen}
        single={single}
        onChoose={single ? onAdd : choose}
      />
      {!single && (
        <Chosen
          none={words.noneChosen ?? texts.noneChosen}
          assets={assets}
          onRemove={(asset) => {
            choose([asset], false);
            // The list of choices disappears.
            if (assets.length === 1) searchField.current?.focus();
          }}
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
            <SaveButton saving={saving}>{(words.submit ?? texts.submit)(assets.length)}</SaveButton>
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
