import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { StructureItem } from '../../course-packages/course-structure.ts';
import { activityIdOf } from '../sessions/learner-agent.ts';
import { BLOCK_TYPE, COURSE_TYPE } from './cmi5-vocabulary.ts';

/** A block, or the course, with all of its units satisfied. */
export interface SatisfiedPart {
  /** The service's own id. */
  activityId: string;
  /** The id in the course structure. */
  publisherId: string;
  type: typeof BLOCK_TYPE | typeof COURSE_TYPE;
  title: string;
}

/** The runtime's data for an attempt: the parts that have a `satisfied` statement, by publisher id. */
export interface Cmi5AttemptState {
  satisfied: string[];
}

/**
 * The satisfied parts that have no `satisfied` statement yet: inner blocks before outer ones, the course last.
 * @param units the satisfied units
 */
export function newlySatisfied(
  course: PlayableVersion,
  units: ReadonlySet<string>,
  { said, baseUrl }: { said: readonly string[]; baseUrl: string },
): SatisfiedPart[] {
  const parts: SatisfiedPart[] = [];
  const isSaid = new Set(said);
  const add = (publisherId: string, type: SatisfiedPart['type'], title: string) => {
    if (isSaid.has(publisherId)) return;
    const activityId = activityIdOf(baseUrl, course.courseId, publisherId);
    parts.push({ activityId, publisherId, type, title });
  };
  const visit = (item: StructureItem): boolean => {
    if (item.isUnit) return units.has(item.id);
    const isDone = item.children.map(visit).every(Boolean);
    if (isDone && item.children.length > 0) add(item.id, BLOCK_TYPE, item.title);
    return isDone;
  };
  const isDone = course.structure.items.map(visit).every(Boolean);
  const { identifier } = course.structure;
  if (isDone && identifier !== null) add(identifier, COURSE_TYPE, course.courseName);
  return parts;
}
