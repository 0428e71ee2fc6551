import { IconBook2, IconBooks, IconBuilding, IconFolder, IconLanguage } from '@tabler/icons-react';
import type { FocusType } from '../../../src/events/catalogue.ts';

const ICONS = {
  ACCOUNT: IconBuilding,
  COURSE: IconBook2,
  EQUIVALENT: IconLanguage,
  BUNDLE: IconBooks,
  FOLDER: IconFolder,
} as const;

/** The icon of a type of asset. */
export function iconOf(type: FocusType): (typeof ICONS)[FocusType] {
  return ICONS[type];
}

/** The icon of a type of asset. The type is also shown in words. */
export function AssetIcon({ type }: { type: FocusType }) {
  const Icon = iconOf(type);
  return <Icon size={18} stroke={1.5} aria-hidden />;
}
