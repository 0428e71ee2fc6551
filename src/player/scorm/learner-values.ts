import { isDeepStrictEqual } from 'node:util';
import { oncePer } from '../../once-per.ts';
import type { LearnerValue } from '../attempts/learner-value-store.ts';
import type { ActivityDefinition, ActivityTreeDefinition } from './sequencing/activity-definition.ts';
import { ActivityTree } from './sequencing/activity-tree.ts';
import type { SequencingState } from './sequencing/tracking.ts';
import {
  isProgress,
  MAX_STORE_LENGTH,
  readGivenValues,
  readSequencingState,
  type SharedValues,
} from './sequencing-state.ts';

type SharedIds = Readonly<Record<LearnerValue['kind'], ReadonlySet<string>>>;

const NO_VALUES: SharedValues = { objectives: {}, stores: {} };

/** Kept, since trees have thousands of objectives, and each save needs their ids. */
const sharedIds = oncePer(findSharedIds);

/**
 * The ids of the shared objectives and stores that a course uses and that persist across courses. The standard shares
 * them by default (Content Aggregation Model 3.4.1.3).
 */
function findSharedIds({ root, ...course }: ActivityTreeDefinition): SharedIds {
  const ids = { objective: new Set<string>(), store: new Set<string>() };
  const visit = ({ sequencing, sharedData, children }: ActivityDefinition) => {
    const objectives = [sequencing.primaryObjective, ...sequencing.objectives];
    if (course.objectivesGlobalToSystem) {
      for (const map of objectives.flatMap((objective) => objective?.maps ?? [])) {
        ids.objective.add(map.targetObjectiveId);
      }
    }
    if (course.sharedDataGlobalToSystem) for (const { targetId } of sharedData) ids.store.add(targetId);
    for (const child of children) visit(child);
  };
  visit(root);
  return ids;
}

/** Whether a course shares any values with other courses. */
export function sharesValues(tree: ActivityTreeDefinition): boolean {
  const { objective, store } = sharedIds(tree);
  return objective.size > 0 || store.size > 0;
}

/** Whether a course reads or writes a value. */
export function sharesValue(
  tree: ActivityTreeDefinition,
  { kind, id }: Pick<LearnerValue, 'kind' | 'id'>,
): boolean {
  return sharedIds(tree)[kind].has(id);
}

/** The initial state of a page: the stored state of the attempt, with the learner's current values. */
export function withLearnerValues(
  state: SequencingState | null,
  tree: ActivityTreeDefinition,
  values: readonly LearnerValue[],
): SequencingState | null {
  const ids = sharedIds(tree);
  const known = values.filter(({ kind, id }) => ids[kind].has(id));
  if (known.length === 0) return state;
  const start = state ?? new ActivityTree(tree, null, Math.random).state();
  const objectives = { ...start.objectives };
  const stores = { ...start.stores };
  for (const { kind, id, value } of known) {
    if (kind === 'objective' && isProgress(value)) objectives[id] = value;
    if (kind === 'store' && typeof value === 'string' && value.length <= MAX_STORE_LENGTH) stores[id] = value;
  }
  return { ...start, objectives, stores };
}

/**
 * The data that all units share, with the values that a page is given. Other courses may have changed these since the
 * attempt was saved, and the page sends back all of them. Undefined if the data already contains the same values.
 * @param stored the data as it is stored
 */
export function withGivenValues(
  stored: unknown,
  tree: ActivityTreeDefinition,
  values: readonly LearnerValue[],
): object | undefined {
  const state = withLearnerValues(readSequencingState(stored, tree), tree, values);
  const { objectives, stores } = state ?? NO_VALUES;
  const given: SharedValues = { objectives, stores };
  if (isDeepStrictEqual(given, formerValues(stored, tree))) return undefined;
  return { ...(typeof stored === 'object' ? stored : {}), given };
}

/** The values with which a page began, or that it has saved since. */
function formerValues(stored: unknown, tree: ActivityTreeDefinition): SharedValues {
  const { objectives, stores } = readGivenValues(stored) ?? readSequencingState(stored, tree) ?? NO_VALUES;
  return { objectives, stores };
}

/**
 * The shared values that a page has changed.
 * @param former the data that all units shared before
 */
export function learnerValuesOf(
  tree: ActivityTreeDefinition,
  state: SequencingState,
  former: unknown,
): LearnerValue[] {
  const ids = sharedIds(tree);
  const before = formerValues(former, tree);
  const changed = <V>(
    kind: LearnerValue['kind'],
    now: Readonly<Record<string, V>>,
    earlier: Readonly<Record<string, V>>,
  ) =>
    [...ids[kind]].flatMap((id): LearnerValue[] => {
      if (!Object.hasOwn(now, id)) return [];
      const isSame = Object.hasOwn(earlier, id) && isDeepStrictEqual(earlier[id], now[id]);
      return isSame ? [] : [{ kind, id, value: now[id] }];
    });
  return [
    ...changed('objective', state.objectives, before.objectives),
    ...changed('store', state.stores, before.stores),
  ];
}
