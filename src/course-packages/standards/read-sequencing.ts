import type { CourseFiles } from '../course-files.ts';
import { quoted } from '../package-error.ts';
import {
  CHILD_SETS,
  COMBINATIONS,
  CONSIDERATIONS,
  distinctConditions,
  EXIT_CONDITION_ACTIONS,
  type ObjectiveMap,
  OPERATORS,
  POST_CONDITION_ACTIONS,
  PRE_CONDITION_ACTIONS,
  ROLLUP_ACTIONS,
  ROLLUP_CONDITIONS,
  type RollupRule,
  RULE_CONDITIONS,
  type Sequencing,
  type SequencingObjective,
  type SequencingRule,
  TIMINGS,
} from '../scorm-sequencing.ts';
import type { StructureBudget } from '../structure-budget.ts';
import { attributeOf, childOf, childrenOf, textOf, type XmlElement } from '../xml-tree.ts';
import { scoreWithin } from './score-text.ts';
import { FRACTION, ScormValues } from './scorm-values.ts';

const NORMALIZED = [-1, 1] as const;
/** The default of `minNormalizedMeasure`. */
const DEFAULT_MEASURE = 1;
const ADLSEQ = 'adlseq_v1p3';
/** Long texts count as several nodes. */
const CHARACTERS_OF_A_NODE = 100;
/** The parts of a sequencing, in lower case. */
const PART_NAMES: readonly string[] = [
  'controlmode',
  'sequencingrules',
  'limitconditions',
  'auxiliaryresources',
  'rolluprules',
  'objectives',
  'randomizationcontrols',
  'deliverycontrols',
  'constrainedchoiceconsiderations',
  'rollupconsiderations',
];

/** The parts of a sequencing, by lower-case name. `objectives` occurs in two namespaces, and both are kept. */
type Parts = ReadonlyMap<string, XmlElement>;

/**
 * Reads the sequencing of items, including the parts that they share by `IDRef`. A shared part is read once per item
 * that refers to it, and its size counts towards the budget each time.
 *
 * @see SCORM 2004 Content Aggregation Model, section 5; Sequencing and Navigation
 */
export class SequencingReader {
  readonly #course: CourseFiles;
  readonly #values: ScormValues;
  readonly #shared = new Map<string, Parts>();
  readonly #budget: StructureBudget;
  readonly #sizes = new Map<XmlElement, number>();

  /** @param collection the manifest's `sequencingCollection` */
  constructor(course: CourseFiles, collection: XmlElement | undefined, budget: StructureBudget) {
    this.#course = course;
    this.#values = new ScormValues(course);
    this.#budget = budget;
    for (const element of collection?.children ?? []) {
      const id = attributeOf(element, 'ID');
      if (id !== null && !this.#shared.has(id)) this.#shared.set(id, partsOf(element));
    }
  }

  /** The sequencing of an item or an organization. Each part is its own or, if it has none, the shared one. */
  read(item: XmlElement | undefined): Sequencing {
    const own = childOf(item, 'sequencing');
    const reference = attributeOf(own, 'IDRef');
    const shared = reference === null ? undefined : this.#shared.get(reference);
    if (reference !== null && shared === undefined) {
      this.#course.warn(
        `An item uses the sequencing ${quoted(reference)}, which the manifest does not have. The reference is ignored.`,
      );
    }
    const parts = new Map([...(shared ?? []), ...partsOf(own)]);
    for (const part of parts.values()) this.#budget.spend(this.#sizeOf(part));
    return this.#sequencing(parts);
  }

  #sequencing(parts: Parts): Sequencing {
    const values = this.#values;
    const rules = parts.get('sequencingrules');
    const randomization = parts.get('randomizationcontrols');
    const delivery = parts.get('deliverycontrols');
    const choice = parts.get('constrainedchoiceconsiderations');
    return {
      controlMode: this.#controlMode(parts.get('controlmode')),
      preConditionRules: this.#rules(rules, 'preConditionRule', PRE_CONDITION_ACTIONS),
      exitConditionRules: this.#rules(rules, 'exitConditionRule', EXIT_CONDITION_ACTIONS),
      postConditionRules: this.#rules(rules, 'postConditionRule', POST_CONDITION_ACTIONS),
      limitConditions: this.#limitConditions(parts.get('limitconditions')),
      auxiliaryResources: childrenOf(parts.get('auxiliaryresources'), 'auxiliaryResource').flatMap(
        (resource) => {
          const resourceId = attributeOf(resource, 'auxiliaryResourceID');
          return resourceId === null ? [] : [{ resourceId, purpose: attributeOf(resource, 'purpose') ?? '' }];
        },
      ),
      rollup: this.#rollup(parts.get('rolluprules')),
      ...this.#objectives(parts),
      randomization: {
        randomizationTiming: values.oneOf(randomization, 'randomizationTiming', TIMINGS, 'never'),
        selectCount: values.count(randomization, 'selectCount'),
        reorderChildren: values.flag(randomization, 'reorderChildren', false),
        selectionTiming: values.oneOf(randomization, 'selectionTiming', TIMINGS, 'never'),
      },
      delivery: {
        tracked: values.flag(delivery, 'tracked', true),
        completionSetByContent: values.flag(delivery, 'completionSetByContent', false),
        objectiveSetByContent: values.flag(delivery, 'objectiveSetByContent', false),
      },
      constrainedChoice: {
        constrainChoice: values.flag(choice, 'constrainChoice', false),
        preventActivation: values.flag(choice, 'preventActivation', false),
      },
      rollupConsiderations: this.#rollupConsiderations(parts.get('rollupconsiderations')),
    };
  }

  #controlMode(control: XmlElement | undefined): Sequencing['controlMode'] {
    const flag = (name: string, fallback: boolean) => this.#values.flag(control, name, fallback);
    return {
      choice: flag('choice', true),
      choiceExit: flag('choiceExit', true),
      flow: flag('flow', false),
      forwardOnly: flag('forwardOnly', false),
      useCurrentAttemptObjectiveInfo: flag('useCurrentAttemptObjectiveInfo', true),
      useCurrentAttemptProgressInfo: flag('useCurrentAttemptProgressInfo', true),
    };
  }

  #limitConditions(limits: XmlElement | undefined): Sequencing['limitConditions'] {
    return {
      attemptLimit: this.#values.count(limits, 'attemptLimit'),
      attemptAbsoluteDurationLimit: attributeOf(limits, 'attemptAbsoluteDurationLimit'),
      activityAbsoluteDurationLimit: attributeOf(limits, 'activityAbsoluteDurationLimit'),
      beginTimeLimit: attributeOf(limits, 'beginTimeLimit'),
      endTimeLimit: attributeOf(limits, 'endTimeLimit'),
    };
  }

  #rollup(rollup: XmlElement | undefined): Sequencing['rollup'] {
    const values = this.#values;
    return {
      objectiveSatisfied: values.flag(rollup, 'rollupObjectiveSatisfied', true),
      progressCompletion: values.flag(rollup, 'rollupProgressCompletion', true),
      objectiveMeasureWeight: values.number(rollup, 'objectiveMeasureWeight', FRACTION, 1),
      rules: childrenOf(rollup, 'rollupRule').flatMap((rule) => this.#rollupRule(rule) ?? []),
    };
  }

  #rollupConsiderations(considerations: XmlElement | undefined): Sequencing['rollupConsiderations'] {
    const consideration = (name: string) =>
      this.#values.oneOf(considerations, name, CONSIDERATIONS, 'always');
    return {
      requiredForSatisfied: consideration('requiredForSatisfied'),
      requiredForNotSatisfied: consideration('requiredForNotSatisfied'),
      requiredForCompleted: consideration('requiredForCompleted'),
      requiredForIncomplete: consideration('requiredForIncomplete'),
      measureSatisfactionIfActive: this.#values.flag(considerations, 'measureSatisfactionIfActive', true),
    };
  }

  #rules<const Actions extends readonly string[]>(
    rules: XmlElement | undefined,
    name: string,
    actions: Actions,
  ): SequencingRule<Actions[number]>[] {
    return childrenOf(rules, name).flatMap((rule) => {
      const action = this.#word(childOf(rule, 'ruleAction'), 'action', actions);
      const conditions = childOf(rule, 'ruleConditions');
      const read = childrenOf(conditions, 'ruleCondition').flatMap((element) => {
        const condition = this.#word(element, 'condition', RULE_CONDITIONS);
        if (condition === null) return [];
        return {
          condition,
          operator: this.#values.oneOf(element, 'operator', OPERATORS, 'noOp'),
          referencedObjective: attributeOf(element, 'referencedObjective'),
          measureThreshold: this.#values.number(element, 'measureThreshold', NORMALIZED, 0),
        };
      });
      if (action === null || read.length === 0) return [];
      const combination = this.#values.oneOf(conditions, 'conditionCombination', COMBINATIONS, 'all');
      return { action, combination, conditions: read };
    });
  }

  #rollupRule(rule: XmlElement): RollupRule | null {
    const action = this.#word(childOf(rule, 'rollupAction'), 'action', ROLLUP_ACTIONS);
    const conditions = childOf(rule, 'rollupConditions');
    const read = childrenOf(conditions, 'rollupCondition').flatMap((element) => {
      const condition = this.#word(element, 'condition', ROLLUP_CONDITIONS);
      if (condition === null) return [];
      return { condition, operator: this.#values.oneOf(element, 'operator', OPERATORS, 'noOp') };
    });
    if (action === null || read.length === 0) return null;
    return {
      action,
      childActivitySet: this.#values.oneOf(rule, 'childActivitySet', CHILD_SETS, 'all'),
      minimumCount: this.#values.count(rule, 'minimumCount') ?? 0,
      minimumPercent: this.#values.number(rule, 'minimumPercent', FRACTION, 0),
      combination: this.#values.oneOf(conditions, 'conditionCombination', COMBINATIONS, 'any'),
      conditions: distinctConditions(read),
    };
  }

  #objectives(parts: Parts): Pick<Sequencing, 'primaryObjective' | 'objectives'> {
    const elements = parts.get('objectives');
    const scores = new Map<string, XmlElement[]>();
    for (const element of childrenOf(parts.get(`${ADLSEQ} objectives`), 'objective')) {
      const id = attributeOf(element, 'objectiveID') ?? '';
      if (!scores.has(id)) scores.set(id, childrenOf(element, 'mapInfo'));
    }
    const primary = childOf(elements, 'primaryObjective');
    const objectives = new Map<string, SequencingObjective>();
    for (const element of childrenOf(elements, 'objective')) {
      const id = attributeOf(element, 'objectiveID');
      if (id !== null && !objectives.has(id)) objectives.set(id, this.#objective(element, scores));
    }
    return {
      primaryObjective: primary === undefined ? null : this.#objective(primary, scores),
      objectives: [...objectives.values()],
    };
  }

  #objective(element: XmlElement, scores: ReadonlyMap<string, readonly XmlElement[]>): SequencingObjective {
    const id = attributeOf(element, 'objectiveID');
    const measure = textOf(childOf(element, 'minNormalizedMeasure'));
    const maps = new Map<string, ObjectiveMap>();
    const put = (map: XmlElement, read: (current: ObjectiveMap) => ObjectiveMap): void => {
      const target = attributeOf(map, 'targetObjectiveID');
      if (target !== null) maps.set(target, read(maps.get(target) ?? unmapped(target)));
    };
    const flag = this.#values.flag.bind(this.#values);
    for (const map of childrenOf(element, 'mapInfo')) {
      put(map, (current) => ({
        ...current,
        readSatisfiedStatus: flag(map, 'readSatisfiedStatus', true),
        readNormalizedMeasure: flag(map, 'readNormalizedMeasure', true),
        writeSatisfiedStatus: flag(map, 'writeSatisfiedStatus', false),
        writeNormalizedMeasure: flag(map, 'writeNormalizedMeasure', false),
      }));
    }
    for (const map of scores.get(id ?? '') ?? []) {
      put(map, (current) => ({
        ...current,
        readRawScore: flag(map, 'readRawScore', true),
        readMinScore: flag(map, 'readMinScore', true),
        readMaxScore: flag(map, 'readMaxScore', true),
        readCompletionStatus: flag(map, 'readCompletionStatus', true),
        readProgressMeasure: flag(map, 'readProgressMeasure', true),
        writeRawScore: flag(map, 'writeRawScore', false),
        writeMinScore: flag(map, 'writeMinScore', false),
        writeMaxScore: flag(map, 'writeMaxScore', false),
        writeCompletionStatus: flag(map, 'writeCompletionStatus', false),
        writeProgressMeasure: flag(map, 'writeProgressMeasure', false),
      }));
    }
    return {
      id,
      satisfiedByMeasure: flag(element, 'satisfiedByMeasure', false),
      minNormalizedMeasure:
        (measure === null ? null : scoreWithin(this.#course, measure, NORMALIZED, id ?? 'objective')) ??
        DEFAULT_MEASURE,
      maps: [...maps.values()],
    };
  }

  #word<const Values extends readonly string[]>(
    element: XmlElement | undefined,
    name: string,
    values: Values,
  ): Values[number] | null {
    const text = attributeOf(element, name);
    const word = this.#values.word(text, values);
    if (word === null) {
      this.#course.warn(`A sequencing rule has the ${name} ${quoted(text ?? '')}, which is ignored.`);
    }
    return word;
  }

  #sizeOf(element: XmlElement): number {
    const known = this.#sizes.get(element);
    if (known !== undefined) return known;
    const characters = element.attributes.reduce((sum, { value }) => sum + value.length, element.text.length);
    const own = 1 + Math.floor(characters / CHARACTERS_OF_A_NODE);
    const size = element.children.reduce((sum, child) => sum + this.#sizeOf(child), own);
    this.#sizes.set(element, size);
    return size;
  }
}

function partsOf(sequencing: XmlElement | undefined): Map<string, XmlElement> {
  const parts = new Map<string, XmlElement>();
  for (const element of sequencing?.children ?? []) {
    const name = element.name.toLowerCase();
    if (!PART_NAMES.includes(name)) continue;
    const key = name === 'objectives' && element.namespace.includes(ADLSEQ) ? `${ADLSEQ} ${name}` : name;
    if (!parts.has(key)) parts.set(key, element);
  }
  return parts;
}

function unmapped(targetObjectiveId: string): ObjectiveMap {
  return {
    targetObjectiveId,
    readSatisfiedStatus: false,
    readNormalizedMeasure: false,
    writeSatisfiedStatus: false,
    writeNormalizedMeasure: false,
    readRawScore: false,
    readMinScore: false,
    readMaxScore: false,
    readCompletionStatus: false,
    readProgressMeasure: false,
    writeRawScore: false,
    writeMinScore: false,
    writeMaxScore: false,
    writeCompletionStatus: false,
    writeProgressMeasure: false,
  };
}
