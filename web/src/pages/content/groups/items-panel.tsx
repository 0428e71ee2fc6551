import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { assetKey } from '../../../../../src/events/asset-key.ts';
import { type AddableContent, contentFinder } from '../../../api/addable-content.ts';
import type { BundledType } from '../../../api/bundles.ts';
import { Callout } from '../../../components/callout.tsx';
import { ContentDialog } from '../../../components/content-dialog/content-dialog.tsx';
import { Panel } from '../../../components/panel.tsx';
import { groups } from '../../../texts/content-groups.ts';
import { languageName } from '../../../utilities/language-name.ts';
import { type GroupErrors, type GroupItem, type GroupKind, MAX_ITEMS } from './group-draft.ts';
import styles from './groups.module.css';
import { LanguageField } from './language-field.tsx';
import { OrderedList } from './ordered-list.tsx';

const TYPES: Readonly<Record<GroupKind, readonly BundledType[]>> = {
  equivalent: ['COURSE'],
  bundle: ['COURSE', 'EQUIVALENT'],
};

/** The courses of an equivalent, or the contents of a bundle, in order. More are added in a dialog. */
export function ItemsPanel({
  kind,
  items,
  errors,
  readOnly,
  onChange,
}: {
  kind: GroupKind;
  items: readonly GroupItem[];
  errors: GroupErrors;
  readOnly: boolean;
  onChange: (items: readonly GroupItem[]) => void;
}) {
  const words = groups[kind];
  const [adding, setAdding] = useState(false);
  const add = (added: readonly AddableContent[]) => {
    const more = added.map(({ type, id, name }) => ({
      key: assetKey({ type, id }),
      type: type as BundledType,
      id,
      name,
      language: '',
    }));
    onChange([...items, ...more]);
    setAdding(false);
  };
  const setLanguage = (key: string, language: string) =>
    onChange(items.map((item) => (item.key === key ? { ...item, language } : item)));
  return (
    <>
      <Panel
        title={words.contents}
        description={
          <>
            {words.contentsDescription} {items.length > 0 && groups.count(items.length, MAX_ITEMS)}
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
        {items.length === 0 ? (
          <div className={styles.nothing}>{words.none}</div>
        ) : (
          <OrderedList
            label={words.contents}
            items={items}
            onChange={onChange}
            errors={errors.ofItem}
            readOnly={readOnly}
            detail={(item) =>
              kind === 'equivalent' ? (
                <ItemLanguage
                  item={item}
                  readOnly={readOnly}
                  error={errors.ofItem.get(item.key)}
                  onChange={(language) => setLanguage(item.key, language)}
                />
              ) : (
                errors.ofItem.has(item.key) && (
                  <span className={styles.wrong}>{errors.ofItem.get(item.key)}</span>
                )
              )
            }
          />
        )}
      </Panel>
      <ContentDialog
        opened={adding}
        title={words.add}
        types={TYPES[kind]}
        useFound={contentFinder(null)}
        existing={items}
        max={MAX_ITEMS - items.length}
        onAdd={add}
        onClose={() => setAdding(false)}
      />
    </>
  );
}

/** The language of a course in an equivalent, as a field for those who may edit. */
function ItemLanguage({
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
