import { groups } from '../../../texts/content-groups.ts';
import { languageName } from '../../../utilities/language-name.ts';
import type { GroupItem } from './group-draft.ts';
import styles from './groups.module.css';
import { LanguageField } from './language-field.tsx';

/** The language of a course in an equivalent, as a field for those who may edit. */
export function ItemLanguage({
  item,
  readOnly,
  error,
  onChange,
}: {
  item: GroupItem;
  readOnly: boolean;
  error: string | undefined;
  onChange: (language: string) => void;
}) {
  if (!readOnly) {
    return (
      <LanguageField
        label={groups.languageOf(item.name)}
        value={item.language}
        onChange={onChange}
        error={error}
      />
    );
  }
  return (
    <span className={styles.languageRead}>
      {languageName(item.language) ?? item.language} <span className={styles.tag}>{item.language}</span>
    </span>
  );
}
