import type { FocusType } from '../../../../src/events/catalogue.ts';

/** Identifies an asset or account among those of all types. */
export function keyOf({ type, id }: { type: FocusType; id: number }): string {
  return `${type} ${id}`;
}
