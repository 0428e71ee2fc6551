import { TextInput, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { groups } from '../../../texts/content-groups.ts';
import type { GroupItem } from './group-draft.ts';
import styles from './groups.module.css';
import { DragHandle, ItemName, MoveButtons, RemoveButton } from './item-parts.tsx';
import { useItemDrag } from './use-item-drag.ts';
import { useItemFilter } from './use-item-filter.ts';
import { useItemMoves } from './use-item-moves.ts';

/** The items of an equivalent or bundle in order. They can be moved by dragging, or with their arrow buttons. */
export function OrderedList({
  label,
  items,
  onChange,
  detail,
  errors,
  readOnly,
}: {
  label: string;
  items: readonly GroupItem[];
  onChange: (items: GroupItem[]) => void;
  /** Content next to the name of each item, such as its language. */
  detail?: (item: GroupItem) => ReactNode;
  errors: ReadonlyMap<string, string>;
  readOnly: boolean;
}) {
  const { canSearch, search, setSearch, isFiltered, shown } = useItemFilter(items);
  const { list, announced, moveTo, moveBy } = useItemMoves(items, onChange);
  const drag = useItemDrag(moveTo);
  const canOrder = !readOnly && !isFiltered;
  return (
    <>
      {canSearch && (
        <TextInput
          size="xs"
          className={styles.filter ?? ''}
          aria-label={groups.filter}
          placeholder={groups.filter}
          leftSection={<IconSearch size={14} stroke={1.6} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <ol ref={list} className={styles.items} aria-label={label}>
        {shown.map((item) => {
          const { key, name } = item;
          const at = items.indexOf(item);
          return (
            <li
              key={key}
              data-key={key}
              className={styles.item}
              data-wrong={errors.has(key) || undefined}
              {...drag.target(key, at)}
            >
              {canOrder && <DragHandle {...drag.grip(item)} />}
              <ItemName item={item} />
              {detail?.(item)}
              {!readOnly && (
                <div className={styles.itemButtons}>
                  {canOrder && (
                    <MoveButtons
                      name={name}
                      at={at}
                      count={items.length}
                      onMove={(step) => moveBy(key, at, step)}
                    />
                  )}
                  <RemoveButton
                    name={name}
                    onRemove={() => onChange(items.filter((each) => each !== item))}
                  />
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {shown.length === 0 && items.length > 0 && <div className={styles.none}>{groups.filterNothing}</div>}
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </>
  );
}
