import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';

/** Something that the command palette offers. */
export interface PaletteEntry {
  /** Unique among all entries. */
  key: string;
  label: string;
  /** Where it is or what it belongs to; empty for pages and actions. */
  note: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The page that it opens, or what it does. */
  target: LinkProps | (() => void);
}

/** Entries with a heading. */
export interface PaletteGroup {
  heading: string;
  entries: readonly PaletteEntry[];
}
