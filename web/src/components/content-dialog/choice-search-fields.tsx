import { Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Ref } from 'react';
import { MAX_SEARCH_LENGTH } from '../../../../src/ui-api/list-limits.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { firstOf } from '../../utilities/length-of.ts';
import type { Choice } from './choice.ts';
import styles from './content-dialog.module.css';
import type { ChoiceSearch } from './use-choice-search.ts';

/** The search field, and the type if there are several. */
export function ChoiceSearchFields<T extends Choice>({
  ref,
  label,
  types,
  search: { typed, setTyped, type, setType },
}: {
  /** For the search field. */
  ref: Ref<HTMLInputElement>;
  /** The label of the search field. */
  label: string;
  types: readonly T['type'][];
  search: ChoiceSearch<T>;
}) {
  return (
    <div className={styles.finding} data-single={types.length === 1 || undefined}>
      <TextInput
        ref={ref}
        type="search"
        label={label}
        placeholder={texts.searchPlaceholder}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(firstOf(event.currentTarget.value, MAX_SEARCH_LENGTH))}
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
          onChange={(value) => setType(value === '' ? null : value)}
          allowDeselect={false}
          data={[
            { value: '', label: texts.all },
            ...types.map((value) => ({ value, label: texts.types[value] })),
          ]}
        />
      )}
    </div>
  );
}
