import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';

/** An entry of the command palette. */
export interface PaletteEntry {
  /** Unique among all entries. */
  key: string;
  label: string;
  /** Its location or owner; empty for pages and actions. */
  note: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The page that it opens, or its action. */
  target: LinkProps | (() => void);
}

/** A group of entries with a heading. */
export interface PaletteGroup {
  heading: string;
  entries: readonly PaletteEntry[];
}
