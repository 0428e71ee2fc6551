import type { CourseFiles } from '../course-files.ts';
import {
  type CompletionThreshold,
  HIDDEN_CONTROLS,
  type HiddenControl,
  type Scorm2004Course,
  type Scorm2004Item,
  type SharedDataMap,
} from '../course-structure.ts';
import type { Sequencing } from '../scorm-sequencing.ts';
import { attributeOf, childOf, childrenOf, textOf, type XmlElement } from '../xml-tree.ts';
import { FRACTION, ScormValues } from './scorm-values.ts';

/** The root activity's id if the organization has none. */
const ROOT_ID = 'organization';

/** Reads the SCORM 2004 data of organizations and items, except their sequencing. */
export class Scorm2004Reader {
  readonly #values: ScormValues;

  constructor(course: CourseFiles) {
    this.#values = new ScormValues(course);
  }

  /** The root of the tree. */
  course(organization: XmlElement | undefined, title: string, sequencing: Sequencing): Scorm2004Course {
    return {
      id: attributeOf(organization, 'identifier') ?? ROOT_ID,
      title,
      objectivesGlobalToSystem: this.#values.flag(organization, 'objectivesGlobalToSystem', true),
      sharedDataGlobalToSystem: this.#values.flag(organization, 'sharedDataGlobalToSystem', true),
      completionThreshold: this.#completionThreshold(organization),
      sequencing,
    };
  }

  /** An item of the tree. */
  item(item: XmlElement | undefined, sequencing: Sequencing): Scorm2004Item {
    return {
      sequencing,
      completionThreshold: this.#completionThreshold(item),
      hideLmsUi: this.#hiddenControls(item),
      sharedData: this.#sharedData(item),
    };
  }

  /** Up to the 3rd edition, its text is the measure, which is always in use. */
  #completionThreshold(item: XmlElement | undefined): CompletionThreshold | null {
    const threshold = childOf(item, 'completionThreshold');
    if (threshold === undefined) return null;
    const text = textOf(threshold);
    const measure = text === null ? Number.NaN : Number(text);
    if (measure >= 0 && measure <= 1) {
      return { completedByMeasure: true, minProgressMeasure: measure, progressWeight: 1 };
    }
    return {
      completedByMeasure: this.#values.flag(threshold, 'completedByMeasure', false),
      minProgressMeasure: this.#values.number(threshold, 'minProgressMeasure', FRACTION, 1),
      progressWeight: this.#values.number(threshold, 'progressWeight', FRACTION, 1),
    };
  }

  #hiddenControls(item: XmlElement | undefined): HiddenControl[] {
    const navigation = childOf(item, 'presentation', 'navigationInterface');
    const hidden = childrenOf(navigation, 'hideLMSUI').flatMap(
      (element) => this.#values.word(textOf(element), HIDDEN_CONTROLS) ?? [],
    );
    return [...new Set(hidden)];
  }

  #sharedData(item: XmlElement | undefined): SharedDataMap[] {
    const maps = new Map<string, SharedDataMap>();
    for (const map of childrenOf(childOf(item, 'data'), 'map')) {
      const targetId = attributeOf(map, 'targetID');
      if (targetId === null || maps.has(targetId)) continue;
      maps.set(targetId, {
        targetId,
        readSharedData: this.#values.flag(map, 'readSharedData', true),
        writeSharedData: this.#values.flag(map, 'writeSharedData', true),
      });
    }
    return [...maps.values()];
  }
}
