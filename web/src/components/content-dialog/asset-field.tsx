import { Button, Input, UnstyledButton } from '@mantine/core';
import { IconPlus, IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { assetKey } from '../../../../src/events/asset-key.ts';
import type { FocusType } from '../../../../src/events/catalogue.ts';
import { assetFinder, assetsByIdQuery, MAX_BY_ID } from '../../api/assets.ts';
import { contentDialog as texts } from '../../texts/content-dialog.ts';
import { shared } from '../../texts/shared.ts';
import { AssetIcon } from '../asset-icon.tsx';
import styles from './asset-field.module.css';
import { ChosenList } from './chosen-list.tsx';
import { ContentDialog } from './content-dialog.tsx';

/** A chosen asset. If only its id is known, the name is null and is looked up. */
export interface ChosenAsset {
  type: FocusType;
  id: number;
  name: string | null;
}

type NamedAsset = ChosenAsset & { name: string };

/**
 * A form field for accounts or content, which are chosen in the content dialog. It holds several, or with `single` one,
 * which a new choice replaces.
 */
export function AssetField({
  label,
  description,
  types,
  value,
  onChange,
  choose,
  title = choose,
  words = {},
  single = false,
  max = 1,
  heldBy = null,
  disabled,
  error,
  onOpenChange,
}: {
  label: string;
  description?: ReactNode;
  types: readonly FocusType[];
  value: readonly ChosenAsset[];
  onChange: (value: ChosenAsset[]) => void;
  /** The label of the button that opens the dialog. */
  choose: string;
  /** The title of the dialog. */
  title?: string;
  /** Words of the dialog that differ from those for content. */
  words?: { search?: string; results?: string; noContent?: string };
  single?: boolean;
  /** Maximum number of assets, unless it is `single`. */
  max?: number;
  /** Offers only what this account has. */
  heldBy?: number | null;
  /** Why nothing can be chosen at the moment. */
  disabled?: string | undefined;
  error?: ReactNode;
  /** Called when the dialog is opened or closed, for forms in dialogs that Escape closes, too. */
  onOpenChange?: (opened: boolean) => void;
}) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  const open = (isOpen: boolean) => {
    setOpened(isOpen);
    onOpenChange?.(isOpen);
  };
  const assets = useNames(value);
  const isWrong = error != null && error !== false;
  const described =
    [description === undefined ? '' : `${id}-description`, isWrong ? `${id}-error` : '']
      .filter(Boolean)
      .join(' ') || undefined;
  return (
    <Input.Wrapper id={id} label={label} labelElement="div" description={description} error={error}>
      <div className={styles.field}>
        {single ? (
          <SingleAsset
            label={label}
            asset={assets[0]}
            choose={choose}
            disabled={disabled}
            isWrong={isWrong}
            describedBy={described}
            onOpen={() => open(true)}
          />
        ) : (
          <>
            {assets.length > 0 && (
              <ChosenList
                label={label}
                assets={assets}
                withTypes={types.length > 1}
                removeLabel={shared.assets.remove}
                onRemove={(gone) => onChange(value.filter((asset) => assetKey(asset) !== assetKey(gone)))}
              />
            )}
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} stroke={1.8} aria-hidden />}
              aria-haspopup="dialog"
              aria-describedby={described}
              onClick={() => open(true)}
            >
              {choose}
            </Button>
          </>
        )}
      </div>
      <ContentDialog
        opened={opened}
        title={title}
        types={types}
        useFound={assetFinder(heldBy)}
        existing={value}
        max={single ? 1 : Math.max(0, max - value.length)}
        single={single}
        words={words}
        onAdd={(chosen) => {
          const added = chosen.map(({ type, id: assetId, name }) => ({ type, id: assetId, name }));
          onChange(single ? added : [...value, ...added]);
          open(false);
        }}
        onClose={() => open(false)}
      />
    </Input.Wrapper>
  );
}

/** The button of a field for one asset. It shows the chosen one. */
function SingleAsset({
  label,
  asset,
  choose,
  disabled,
  isWrong,
  describedBy,
  onOpen,
}: {
  label: string;
  asset: NamedAsset | undefined;
  choose: string;
  disabled: string | undefined;
  isWrong: boolean;
  describedBy: string | undefined;
  onOpen: () => void;
}) {
  const shown = asset?.name ?? disabled ?? choose;
  return (
    <UnstyledButton
      className={styles.single}
      data-empty={asset === undefined || undefined}
      data-wrong={isWrong || undefined}
      aria-haspopup="dialog"
      aria-label={texts.fieldOf(label, shown)}
      aria-describedby={describedBy}
      disabled={disabled !== undefined}
      onClick={onOpen}
    >
      {asset !== undefined && <AssetIcon type={asset.type} />}
      <bdi className={styles.name}>{shown}</bdi>
      <IconSelector size={16} stroke={1.5} aria-hidden />
    </UnstyledButton>
  );
}

/** Looks up the names that are not known. Until then, an asset is shown with its id. */
function useNames(assets: readonly ChosenAsset[]): NamedAsset[] {
  const unnamed = assets.filter(({ name }) => name === null).slice(0, MAX_BY_ID);
  const named = useQuery(assetsByIdQuery(unnamed));
  const nameOf = (asset: ChosenAsset): string => {
    if (asset.name !== null) return asset.name;
    const read = named.data?.find((each) => assetKey(each) === assetKey(asset));
    if (read !== undefined) return read.name;
    return named.isSuccess ? shared.assets.missing(asset.id) : String(asset.id);
  };
  return assets.map((asset) => ({ ...asset, name: nameOf(asset) }));
}
