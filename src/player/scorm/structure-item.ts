import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { StructureItem } from '../../course-packages/course-structure.ts';

/** The item of a course's tree with this id; undefined if there is none. */
export function structureItem(
  { structure }: Pick<PlayableVersion, 'structure'>,
  id: string,
): StructureItem | undefined {
  const open = [...structure.items];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item.id === id) return item;
    open.push(...item.children);
  }
  return undefined;
}
