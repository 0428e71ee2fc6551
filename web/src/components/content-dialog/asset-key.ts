import type { ContentReference } from '../../../../src/events/event.ts';

/** Identifies an asset among those of all types. */
export function keyOf({ type, id }: ContentReference): string {
  return `${type} ${id}`;
}
