import type { ContentType } from '../../../../../src/events/catalogue.ts';

/** Names an asset among those of all types. */
export function keyOf({ type, id }: { type: ContentType; id: number }): string {
  return `${type} ${id}`;
}
