import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconX } from '@tabler/icons-react';
import type { HTMLAttributes } from 'react';
import { AssetIcon } from '../../../components/asset-icon.tsx';
import { AssetLink } from '../../../components/asset-link.tsx';
import { focusNeighbour } from '../../../components/focus-heading.ts';
import { groups } from '../../../texts/content-groups.ts';
import type { GroupItem } from './group-draft.ts';
import styles from './groups.module.css';
import type { Step } from './use-item-moves.ts';

/** The handle for dragging an item. For the mouse only; the arrow buttons do the same for everyone. */
export function DragHandle(dragging: HTMLAttributes<HTMLSpanElement>) {
  return (
    <span aria-hidden className={styles.grip} title={groups.drag} {...dragging}>
      <IconGripVertical size={16} stroke={1.6} aria-hidden />
    </span>
  );
}

/** The icon, name, type and id of an item. */
export function ItemName({ item: { type, id, name } }: { item: GroupItem }) {
  return (
    <>
      <span className={styles.itemIcon} aria-hidden>
        <AssetIcon type={type} />
      </span>
      <div className={styles.itemWords}>
        <AssetLink type={type} id={id}>
          <bdi title={name}>{name}</bdi>
        </AssetLink>
        <span className={styles.itemType}>
          {groups.types[type]} {id}
        </span>
      </div>
    </>
  );
}

/** The buttons that move an item up and down by one place. */
export function MoveButtons({
  name,
  at,
  count,
  onMove,
}: {
  name: string;
  /** The place of the item, from 0. */
  at: number;
  /** The number of items. */
  count: number;
  onMove: (step: Step) => void;
}) {
  return ([-1, 1] as const).map((step) => {
    const to = at + step;
    return (
      <ActionIcon
        key={step}
        variant="subtle"
        color="gray"
        aria-label={step < 0 ? groups.moveUp(name) : groups.moveDown(name)}
        data-step={step}
        disabled={to < 0 || to >= count}
        onClick={() => onMove(step)}
      >
        {step < 0 ? <IconArrowUp size={16} /> : <IconArrowDown size={16} />}
      </ActionIcon>
    );
  });
}

/** The button that removes an item from its list. */
export function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <Tooltip label={groups.remove(name)}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={groups.remove(name)}
        onClick={({ currentTarget: button }) => {
          if (!focusNeighbour(button)) button.form?.querySelector<HTMLElement>('[data-add]')?.focus();
          onRemove();
        }}
      >
        <IconX size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
