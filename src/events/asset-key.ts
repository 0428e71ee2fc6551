import type { FocusType } from './catalogue.ts';

/** Identifies an asset or account in maps and sets. Ids are unique among those of one type. */
export function assetKey({ type, id }: { type: FocusType; id: number }): string {
  return `${type} ${id}`;
}
