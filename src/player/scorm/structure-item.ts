import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { StructureItem } from '../../course-packages/course-structure.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';

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

/**
 * The progress from 0 to 1 at which a unit of SCORM 2004 is completed; null if progress does not decide. A manifest that
 * omits the minimum progress requires full progress.
 */
export function completionThresholdOf(
  course: Pick<PlayableVersion, 'structure'>,
  unit: Pick<LaunchUnit, 'id' | 'completionThreshold'>,
): number | null {
  const threshold = structureItem(course, unit.id)?.scorm2004?.completionThreshold;
  const implied = threshold?.completedByMeasure ? threshold.minProgressMeasure : null;
  return unit.completionThreshold ?? implied;
}
