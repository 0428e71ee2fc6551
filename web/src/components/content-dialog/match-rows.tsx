import { Checkbox, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { AssetIcon } from '../asset-icon.tsx';
import { CHOICE_CONTROL } from './arrow-keys.ts';
import type { Choice } from './choice.ts';
import styles from './content-dialog.module.css';

/** A row with a checkbox. */
export function Match({
  asset,
  isAdded,
  isChosen,
  onChoose,
}: {
  asset: Choice;
  isAdded: boolean;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}) {
  const id = useId();
  return (
    <li>
      <label className={styles.choice} htmlFor={id} data-added={isAdded || undefined}>
        <Checkbox
          id={id}
          size="xs"
          disabled={isAdded}
          checked={isAdded || isChosen}
          {...CHOICE_CONTROL}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
        <AssetText asset={asset} note={isAdded ? texts.added : ''} />
      </label>
    </li>
  );
}

/** A row that is a button, because only one item can be chosen. */
export function SingleMatch({
  asset,
  isCurrent,
  onChoose,
}: {
  asset: Choice;
  isCurrent: boolean;
  onChoose: () => void;
}) {
  return (
    <li>
      <UnstyledButton
        className={styles.choice ?? ''}
        aria-current={isCurrent || undefined}
        data-current={isCurrent || undefined}
        {...CHOICE_CONTROL}
        onClick={onChoose}
      >
        <AssetText asset={asset} note={isCurrent ? texts.current : ''} />
      </UnstyledButton>
    </li>
  );
}

function AssetText({ asset, note }: { asset: Choice; note: string }) {
  const facts = [note, texts.types[asset.type], asset.location, texts.id(asset.id)];
  return (
    <>
      <AssetIcon type={asset.type} />
      <span className={styles.choiceWords}>
        <bdi className={styles.choiceName}>{asset.name}</bdi>{' '}
        <bdi className={styles.choiceFacts}>{facts.filter((fact) => fact !== '').join(' · ')}</bdi>
      </span>
    </>
  );
}
