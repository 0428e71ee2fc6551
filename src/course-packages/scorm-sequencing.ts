/** The sequencing of a SCORM 2004 activity, with the defaults of the standard filled in. */
export interface Sequencing {
  readonly controlMode: ControlMode;
  readonly preConditionRules: readonly SequencingRule<PreConditionAction>[];
  readonly exitConditionRules: readonly SequencingRule<ExitConditionAction>[];
  readonly postConditionRules: readonly SequencingRule<PostConditionAction>[];
  readonly limitConditions: LimitConditions;
  readonly auxiliaryResources: readonly { readonly resourceId: string; readonly purpose: string }[];
  readonly rollup: Rollup;
  /** Null if the manifest names none. The activity then has one without maps to which nothing refers. */
  readonly primaryObjective: SequencingObjective | null;
  readonly objectives: readonly SequencingObjective[];
  readonly randomization: RandomizationControls;
  readonly delivery: DeliveryControls;
  readonly constrainedChoice: { readonly constrainChoice: boolean; readonly preventActivation: boolean };
  readonly rollupConsiderations: RollupConsiderations;
}

/** `imsss:controlMode`. */
export interface ControlMode {
  readonly choice: boolean;
  readonly choiceExit: boolean;
  readonly flow: boolean;
  readonly forwardOnly: boolean;
  readonly useCurrentAttemptObjectiveInfo: boolean;
  readonly useCurrentAttemptProgressInfo: boolean;
}

/** The actions of `imsss:preConditionRule`. */
export const PRE_CONDITION_ACTIONS = [
  'skip',
  'disabled',
  'hiddenFromChoice',
  'stopForwardTraversal',
] as const;
/** The actions of `imsss:exitConditionRule`. */
export const EXIT_CONDITION_ACTIONS = ['exit'] as const;
/** The actions of `imsss:postConditionRule`. */
export const POST_CONDITION_ACTIONS = [
  'exitParent',
  'exitAll',
  'retry',
  'retryAll',
  'continue',
  'previous',
] as const;
/** One of {@link PRE_CONDITION_ACTIONS}. */
export type PreConditionAction = (typeof PRE_CONDITION_ACTIONS)[number];
/** One of {@link EXIT_CONDITION_ACTIONS}. */
export type ExitConditionAction = (typeof EXIT_CONDITION_ACTIONS)[number];
/** One of {@link POST_CONDITION_ACTIONS}. */
export type PostConditionAction = (typeof POST_CONDITION_ACTIONS)[number];

/** What a condition of a sequencing rule can be about. */
export const RULE_CONDITIONS = [
  'satisfied',
  'objectiveStatusKnown',
  'objectiveMeasureKnown',
  'objectiveMeasureGreaterThan',
  'objectiveMeasureLessThan',
  'completed',
  'activityProgressKnown',
  'attempted',
  'attemptLimitExceeded',
  'timeLimitExceeded',
  'outsideAvailableTimeRange',
  'always',
] as const;

/** Whether all conditions of a rule must be met, or any of them. */
export const COMBINATIONS = ['all', 'any'] as const;
/** Whether a condition must be met, or must not be. */
export const OPERATORS = ['noOp', 'not'] as const;

/** `imsss:preConditionRule` and its siblings: all or any of the conditions lead to the action. */
export interface SequencingRule<Action extends string> {
  readonly action: Action;
  readonly combination: (typeof COMBINATIONS)[number];
  readonly conditions: readonly RuleCondition[];
}

/** `imsss:ruleCondition`. */
export interface RuleCondition {
  readonly condition: (typeof RULE_CONDITIONS)[number];
  readonly operator: (typeof OPERATORS)[number];
  /** The local id of an objective; null for the primary one. */
  readonly referencedObjective: string | null;
  /** −1 to 1; compared by `objectiveMeasureGreaterThan` and `objectiveMeasureLessThan`. */
  readonly measureThreshold: number;
}

/** `imsss:limitConditions`; durations in ISO 8601. Null means no limit. SCORM 2004 only uses the first two. */
export interface LimitConditions {
  readonly attemptLimit: number | null;
  readonly attemptAbsoluteDurationLimit: string | null;
  readonly activityAbsoluteDurationLimit: string | null;
  readonly beginTimeLimit: string | null;
  readonly endTimeLimit: string | null;
}

/** Which children of an activity a rollup rule is about. */
export const CHILD_SETS = ['all', 'any', 'none', 'atLeastCount', 'atLeastPercent'] as const;
/** What a rollup rule makes of its activity. */
export const ROLLUP_ACTIONS = ['satisfied', 'notSatisfied', 'completed', 'incomplete'] as const;
/** What a condition of a rollup rule can be about. */
export const ROLLUP_CONDITIONS = [
  'satisfied',
  'objectiveStatusKnown',
  'objectiveMeasureKnown',
  'completed',
  'activityProgressKnown',
  'attempted',
  'attemptLimitExceeded',
  'timeLimitExceeded',
  'outsideAvailableTimeRange',
] as const;

/** `imsss:rollupRules`. */
export interface Rollup {
  readonly objectiveSatisfied: boolean;
  readonly progressCompletion: boolean;
  /** 0 to 1. */
  readonly objectiveMeasureWeight: number;
  readonly rules: readonly RollupRule[];
}

/** `imsss:rollupRule`. */
export interface RollupRule {
  readonly action: (typeof ROLLUP_ACTIONS)[number];
  readonly childActivitySet: (typeof CHILD_SETS)[number];
  readonly minimumCount: number;
  /** 0 to 1. */
  readonly minimumPercent: number;
  readonly combination: (typeof COMBINATIONS)[number];
  readonly conditions: readonly {
    readonly condition: (typeof ROLLUP_CONDITIONS)[number];
    readonly operator: (typeof OPERATORS)[number];
  }[];
}

/** Each condition of a rollup rule once: every save evaluates them for every child. */
export function distinctConditions(conditions: RollupRule['conditions']): RollupRule['conditions'] {
  const distinct = new Map(conditions.map((each) => [`${each.operator} ${each.condition}`, each]));
  return [...distinct.values()];
}

/** `imsss:primaryObjective` or `imsss:objective`, with the maps of `adlseq:objective` (4th edition) merged in. */
export interface SequencingObjective {
  /** Null for a primary objective without an id. */
  readonly id: string | null;
  readonly satisfiedByMeasure: boolean;
  /** −1 to 1. */
  readonly minNormalizedMeasure: number;
  readonly maps: readonly ObjectiveMap[];
}

/** What a local objective reads from and writes to a shared one. There is one for each shared objective. */
export interface ObjectiveMap {
  readonly targetObjectiveId: string;
  readonly readSatisfiedStatus: boolean;
  readonly readNormalizedMeasure: boolean;
  readonly writeSatisfiedStatus: boolean;
  readonly writeNormalizedMeasure: boolean;
  readonly readRawScore: boolean;
  readonly readMinScore: boolean;
  readonly readMaxScore: boolean;
  readonly readCompletionStatus: boolean;
  readonly readProgressMeasure: boolean;
  readonly writeRawScore: boolean;
  readonly writeMinScore: boolean;
  readonly writeMaxScore: boolean;
  readonly writeCompletionStatus: boolean;
  readonly writeProgressMeasure: boolean;
}

/** When children are selected or reordered. */
export const TIMINGS = ['never', 'once', 'onEachNewAttempt'] as const;

/** `imsss:randomizationControls`. */
export interface RandomizationControls {
  readonly randomizationTiming: (typeof TIMINGS)[number];
  /** Null for all children. */
  readonly selectCount: number | null;
  readonly reorderChildren: boolean;
  readonly selectionTiming: (typeof TIMINGS)[number];
}

/** `imsss:deliveryControls`. */
export interface DeliveryControls {
  readonly tracked: boolean;
  readonly completionSetByContent: boolean;
  readonly objectiveSetByContent: boolean;
}

/** When an activity counts in the rollup of its parent. */
export const CONSIDERATIONS = ['always', 'ifAttempted', 'ifNotSkipped', 'ifNotSuspended'] as const;
/** One of {@link CONSIDERATIONS}. */
export type Consideration = (typeof CONSIDERATIONS)[number];

/** `adlseq:rollupConsiderations`. */
export interface RollupConsiderations {
  readonly requiredForSatisfied: Consideration;
  readonly requiredForNotSatisfied: Consideration;
  readonly requiredForCompleted: Consideration;
  readonly requiredForIncomplete: Consideration;
  readonly measureSatisfactionIfActive: boolean;
}
