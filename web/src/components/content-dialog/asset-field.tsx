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
export interface PickedAsset {
  type: FocusType;
  id: number;
  name: string | null;
}

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
  value: readonly PickedAsset[];
  onChange: (value: PickedAsset[]) => void;
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
  const unnamed = value.filter(({ name }) => name === null).slice(0, MAX_BY_ID);
  const named = useQuery(assetsByIdQuery(unnamed));
  const nameOf = (asset: PickedAsset): string => {
    if (asset.name !== null) return asset.name;
    const read = named.data?.find((each) => assetKey(each) === assetKey(asset));
    if (read !== undefined) return read.name;
    return named.isSuccess ? shared.assets.missing(asset.id) : String(asset.id);
  };
  const assets = value.map((asset) => ({ ...asset, name: nameOf(asset) }));
  const [only] = assets;
  const described = [
    description === undefined ? '' : `${id}-description`,
    error == null || error === false ? '' : `${id}-error`,
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <Input.Wrapper id={id} label={label} labelElement="div" description={description} error={error}>
      <div className={styles.field}>
        {single ? (
          <UnstyledButton
            className={styles.single}
            data-empty={only === undefined || undefined}
            data-wrong={(error != null && error !== false) || undefined}
            aria-haspopup="dialog"
            aria-label={texts.fieldOf(label, only?.name ?? disabled ?? choose)}
            aria-describedby={described === '' ? undefined : described}
            disabled={disabled !== undefined}
            onClick={() => open(true)}
          >
            {only !== undefined && <AssetIcon type={only.type} />}
            <bdi className={styles.name}>{only?.name ?? disabled ?? choose}</bdi>
            <IconSelector size={16} stroke={1.5} aria-hidden />
          </UnstyledButton>
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
              aria-describedby={described === '' ? undefined : described}
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
