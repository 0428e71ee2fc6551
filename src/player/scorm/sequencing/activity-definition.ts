import type {
  CompletionThreshold,
  HiddenControl,
  SharedDataMap,
} from '../../../course-packages/course-structure.ts';
import type { Sequencing } from '../../../course-packages/scorm-sequencing.ts';

/** A node of the activity tree, as the manifest defines it. Plain JSON values only. */
export interface ActivityDefinition {
  readonly id: string;
  readonly title: string;
  readonly isVisible: boolean;
  readonly sequencing: Sequencing;
  readonly completionThreshold: CompletionThreshold | null;
  readonly hideLmsUi: readonly HiddenControl[];
  readonly sharedData: readonly SharedDataMap[];
  readonly children: readonly ActivityDefinition[];
}

/** The activity tree of a course, which its sequencing uses. */
export interface ActivityTreeDefinition {
  readonly root: ActivityDefinition;
  /** Whether shared objectives persist after the attempt. */
  readonly objectivesGlobalToSystem: boolean;
  /** Whether the stores of `adl.data` persist after the attempt. */
  readonly sharedDataGlobalToSystem: boolean;
}
