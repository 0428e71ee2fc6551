import { Autocomplete } from '@mantine/core';
import { groups } from '../../../texts/content-groups.ts';
import { languageName } from '../../../utilities/language-name.ts';
import styles from './groups.module.css';
import { OFFERED_LANGUAGES, tagOf } from './languages.ts';

const TAGS = OFFERED_LANGUAGES.map(({ tag }) => tag);

/** A language, entered by name or tag. The value is the tag. */
export function LanguageField({
  label,
  value,
  onChange,
  error,
}: {
  label: string;
  value: string;
  onChange: (tag: string) => void;
  error: string | undefined;
}) {
  const name = languageName(value);
  return (
    <Autocomplete
      className={styles.language ?? ''}
      aria-label={label}
      placeholder={groups.languagePlaceholder}
      data={TAGS}
      value={value}
      onChange={onChange}
      onBlur={() => {
        const tag = tagOf(value);
        if (tag !== value) onChange(tag);
      }}
      // The name is shown next to the tag, because few people know what "sl" means.
      rightSection={
        name !== null && name !== value ? <span className={styles.languageName}>{name}</span> : undefined
      }
      rightSectionWidth="8.5rem"
      rightSectionPointerEvents="none"
      filter={({ options, search }) => {
        const typed = search.trim().toLocaleLowerCase();
        const exact = TAGS.some((tag) => tag.toLocaleLowerCase() === typed);
        if (exact) return options;
        return options.filter((option) => {
          if (!('value' in option)) return false;
          const tag = String(option.value);
          return (
            tag.toLocaleLowerCase().startsWith(typed) ||
            languageName(tag)?.toLocaleLowerCase().includes(typed) === true
          );
        });
      }}
      renderOption={({ option }) => (
        <span className={styles.languageOption}>
          <span>{languageName(option.value)}</span>
          <span className={styles.tag}>{option.value}</span>
        </span>
      )}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      error={error}
      openOnFocus={false}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
