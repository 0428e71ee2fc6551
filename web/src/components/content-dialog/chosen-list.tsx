import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { assetKey } from '../../../../src/events/asset-key.ts';
import type { FocusType } from '../../../../src/events/catalogue.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { AssetIcon } from '../asset-icon.tsx';
import { focusNeighbour } from '../focus-heading.ts';
import styles from './content-dialog.module.css';

/** Moves the focus to what follows an element. */
function focusAfter(element: Element | null): void {
  const next = element?.nextElementSibling;
  if (next instanceof HTMLElement) next.focus();
}

interface Chosen {
  type: FocusType;
  id: number;
  name: string;
}

/** The chosen items, by name; each can be removed. */
export function ChosenList<T extends Chosen>({
  label,
  assets,
  withTypes = false,
  removeLabel,
  onRemove,
}: {
  label: string;
  assets: readonly T[];
  /** Whether the type of each is shown, because names of different types may be equal. */
  withTypes?: boolean;
  removeLabel: (name: string) => string;
  onRemove: (asset: T) => void;
}) {
  return (
    <ul className={styles.chosen} aria-label={label}>
      {assets.map((asset) => (
        <li key={assetKey(asset)} className={styles.pill}>
          {withTypes && (
            <>
              <AssetIcon type={asset.type} />
              <VisuallyHidden>{texts.types[asset.type]} </VisuallyHidden>
            </>
          )}
          <bdi>{asset.name}</bdi>
          <ActionIcon
            variant="transparent"
            className={styles.unchoose ?? ''}
            size={20}
            aria-label={removeLabel(asset.name)}
            onClick={({ currentTarget: button }) => {
              if (!focusNeighbour(button)) focusAfter(button.closest('ul'));
              onRemove(asset);
            }}
          >
            <IconX size={14} stroke={1.8} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
}
