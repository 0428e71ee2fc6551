import { IconBook2, IconBooks, IconFolder, IconLanguage } from '@tabler/icons-react';
import type { ContentType } from '../../../../src/events/catalogue.ts';

const ICONS = {
  COURSE: IconBook2,
  EQUIVALENT: IconLanguage,
  BUNDLE: IconBooks,
  FOLDER: IconFolder,
} as const;

/** The picture of a type of content; the type itself stands beside it in words. */
export function AssetIcon({ type }: { type: ContentType }) {
  const Icon = ICONS[type];
  return <Icon size={18} stroke={1.5} aria-hidden />;
}
