import { ActionIcon, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AssetIcon } from '../../../components/asset-icon.tsx';
import { AssetLink } from '../../../components/asset-link.tsx';
import { groups } from '../../../texts/content-groups.ts';
import type { GroupItem } from './group-draft.ts';
import styles from './groups.module.css';

/** The number of items from which the list can be filtered. */
const MANY = 10;

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
  const [search, setSearch] = useState('');
  // It stays when items are removed, because it may hold a search, or the focus.
  const [canSearch, setCanSearch] = useState(false);
  if (!canSearch && items.length > MANY) setCanSearch(true);
  const [dragging, setDragging] = useState<string | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const [announced, setAnnounced] = useState('');
  const list = useRef<HTMLOListElement>(null);
  // Moving an element in the document removes the focus from it.
  const refocus = useRef<{ key: string; step: -1 | 1 } | null>(null);
  useEffect(() => {
    if (refocus.current === null) return;
    const { key, step } = refocus.current;
    refocus.current = null;
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(
      `[data-key="${CSS.escape(key)}"] [data-step]`,
    );
    const same = Array.from(buttons ?? []).find((button) => button.dataset.step === String(step));
    const usable =
      same?.disabled === false ? same : Array.from(buttons ?? []).find((button) => !button.disabled);
    usable?.focus();
  });

  const text = search.trim().toLocaleLowerCase();
  const shown =
    text === ''
      ? items
      : items.filter(
          ({ id, name, language }) =>
            name.toLocaleLowerCase().includes(text) ||
            language.toLocaleLowerCase() === text ||
            String(id) === text,
        );
  const canOrder = !readOnly && text === '';
  const moveTo = (key: string, to: number) => {
    const item = items.find((each) => each.key === key);
    if (item === undefined || to < 0 || to >= items.length) return;
    const others = items.filter((each) => each !== item);
    onChange([...others.slice(0, to), item, ...others.slice(to)]);
    setAnnounced(groups.moved(item.name, to + 1, items.length));
  };

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
          const { key, type, id, name } = item;
          const at = items.indexOf(item);
          return (
            <li
              key={key}
              data-key={key}
              className={styles.item}
              data-wrong={errors.has(key) || undefined}
              data-dragging={dragging === key || undefined}
              data-over={(over === key && dragging !== key) || undefined}
              onDragOver={(event) => {
                if (dragging === null) return;
                event.preventDefault();
                setOver(key);
              }}
              onDrop={(event) => {
                if (dragging === null) return;
                event.preventDefault();
                moveTo(dragging, at);
                setDragging(null);
                setOver(null);
              }}
            >
              {canOrder && (
                // For the mouse only; the arrow buttons do the same for everyone.
                <span
                  aria-hidden
                  className={styles.grip}
                  draggable
                  title={groups.drag}
                  onDragStart={(event) => {
                    event.dataTransfer.effectAllowed = 'move';
                    event.dataTransfer.setData('text/plain', name);
                    setDragging(key);
                  }}
                  onDragEnd={() => {
                    setDragging(null);
                    setOver(null);
                  }}
                >
                  <IconGripVertical size={16} stroke={1.6} aria-hidden />
                </span>
              )}
              <span className={styles.itemIcon} aria-hidden>
                <AssetIcon type={type} />
              </span>
              <div className={styles.itemWords}>
                <AssetLink type={type} id={id}>
                  <bdi>{name}</bdi>
                </AssetLink>
                <span className={styles.itemType}>
                  {groups.types[type]} {id}
                </span>
              </div>
              {detail?.(item)}
              {!readOnly && (
                <div className={styles.itemButtons}>
                  {canOrder &&
                    ([-1, 1] as const).map((step) => {
                      const to = at + step;
                      const what = step < 0 ? groups.moveUp(name) : groups.moveDown(name);
                      return (
                        <ActionIcon
                          key={step}
                          variant="subtle"
                          color="gray"
                          aria-label={what}
                          data-step={step}
                          disabled={to < 0 || to >= items.length}
                          onClick={() => {
                            refocus.current = { key, step };
                            moveTo(key, to);
                          }}
                        >
                          {step < 0 ? <IconArrowUp size={16} /> : <IconArrowDown size={16} />}
                        </ActionIcon>
                      );
                    })}
                  <Tooltip label={groups.remove(name)}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={groups.remove(name)}
                      onClick={() => onChange(items.filter((each) => each !== item))}
                    >
                      <IconX size={16} />
                    </ActionIcon>
                  </Tooltip>
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
