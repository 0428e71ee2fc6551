import type { CourseFiles, SourceFile } from '../course-files.ts';
import {
  type Cmi5Objective,
  type CourseObjective,
  type LanguageMap,
  plainItem,
  type StructureItem,
} from '../course-structure.ts';
import type { Cmi5Settings, CourseOutline, LaunchUnit, MoveOn } from '../package-description.ts';
import { type PackageError, packageError, quoted } from '../package-error.ts';
import { NODES_OF_AN_ITEM, StructureBudget } from '../structure-budget.ts';
import { attributeOf, childOf, childrenOf, textOf, type XmlElement } from '../xml-tree.ts';
import { isAbsoluteIri, notAbsoluteIri } from './absolute-iri.ts';
import { CMI5_PARAMETERS } from './cmi5-parameters.ts';
import { resolveLaunchTarget } from './launch-target.ts';
import { scoreWithin } from './score-text.ts';
import { shortText, titleText } from './title-text.ts';

const MOVE_ON: readonly MoveOn[] = [
  'NotApplicable',
  'Passed',
  'Completed',
  'CompletedAndPassed',
  'CompletedOrPassed',
];
const LAUNCH_METHODS: readonly Cmi5Settings['launchMethod'][] = ['AnyWindow', 'OwnWindow'];
const SCALED = [0, 1] as const;

/**
 * Reads a cmi5 course: its assignable units, including those in blocks.
 *
 * @see {@link https://github.com/AICC/CMI-5_Spec_Current/blob/quartz/cmi5_spec.md} cmi5, sections 13 and 14
 * @throws {PackageError} MANIFEST_INVALID, NOTHING_TO_LAUNCH, TOO_MANY_UNITS, LAUNCH_…, and those of reading XML
 */
export async function readCmi5(course: CourseFiles, file: SourceFile): Promise<CourseOutline> {
  const structure = await course.readXml(file, 'courseStructure');
  return new StructureReader(course, file).read(structure);
}

class StructureReader {
  readonly #course: CourseFiles;
  readonly #file: SourceFile;
  readonly #budget: StructureBudget;
  readonly #units = new Map<string, LaunchUnit>();
  readonly #blocks = new Set<string>();
  readonly #objectives = new Map<string, Cmi5Objective>();

  constructor(course: CourseFiles, file: SourceFile) {
    this.#course = course;
    this.#file = file;
    this.#budget = new StructureBudget(file.name, course.limits.structureNodes);
  }

  read(structure: XmlElement): CourseOutline {
    const about = childOf(structure, 'course');
    const identifier = attributeOf(about, 'id');
    if (identifier === null) throw this.#invalid('the course has no id');
    this.#checkIri(identifier, 'course');
    for (const element of childrenOf(childOf(structure, 'objectives'), 'objective'))
      this.#addObjective(element);
    const items = this.#readItems(structure);
    for (const id of this.#blocks) {
      if (this.#units.has(id))
        throw this.#invalid(`a block and an assignable unit have the id ${quoted(id)}`);
    }
    if (this.#units.size === 0) throw packageError('NOTHING_TO_LAUNCH', { file: this.#file.name });
    return {
      learningStandard: 'CMI5',
      title: firstLanguage(about) ?? '',
      units: [...this.#units.values()],
      structure: {
        identifier,
        items,
        scorm2004: null,
        cmi5: { ...this.#texts(about), objectives: [...this.#objectives.values()] },
      },
    };
  }

  #readItems(parent: XmlElement): StructureItem[] {
    return parent.children.flatMap((child) => {
      if (child.name === 'au') return this.#readUnit(child);
      if (child.name === 'block') return this.#readBlock(child);
      return [];
    });
  }

  #readBlock(element: XmlElement): StructureItem {
    const id = attributeOf(element, 'id');
    if (id === null) throw this.#invalid('a block has no id');
    this.#checkIri(id, 'block');
    if (this.#blocks.has(id)) throw this.#invalid(`two blocks have the id ${quoted(id)}`);
    this.#blocks.add(id);
    return { ...this.#item(element, id), isUnit: false, children: this.#readItems(element) };
  }

  #readUnit(element: XmlElement): StructureItem {
    const id = attributeOf(element, 'id');
    if (id === null) throw this.#invalid('an assignable unit has no id');
    if (this.#units.has(id)) throw this.#invalid(`two assignable units have the id ${quoted(id)}`);
    this.#checkIri(id, 'assignable unit');
    this.#checkParameters(id, textOf(childOf(element, 'url')) ?? '');
    const limit = this.#course.limits.units;
    if (this.#units.size >= limit) throw packageError('TOO_MANY_UNITS', { file: this.#file.name, limit });
    this.#units.set(id, this.#unit(element, id));
    return this.#item(element, id);
  }

  #item(element: XmlElement, id: string): StructureItem {
    this.#budget.spend(NODES_OF_AN_ITEM);
    return {
      ...plainItem({ id, title: firstLanguage(element) ?? id }),
      objectives: this.#objectivesOf(element),
      cmi5: this.#texts(element),
    };
  }

  #unit(element: XmlElement, id: string): LaunchUnit {
    return {
      id,
      title: firstLanguage(element) ?? id,
      launch: resolveLaunchTarget(this.#course, { unit: id, href: textOf(childOf(element, 'url')) }),
      reports: true,
      masteryScore: scoreWithin(this.#course, attributeOf(element, 'masteryScore'), SCALED, id),
      completionThreshold: null,
      launchData: textOf(childOf(element, 'launchParameters')),
      maxTimeAllowed: null,
      timeLimitAction: null,
      cmi5: {
        moveOn: this.#oneOf(element, 'moveOn', MOVE_ON) ?? 'NotApplicable',
        launchMethod: this.#oneOf(element, 'launchMethod', LAUNCH_METHODS) ?? 'AnyWindow',
        activityType: attributeOf(element, 'activityType'),
        entitlementKey: textOf(childOf(element, 'entitlementKey')),
      },
    };
  }

  #addObjective(element: XmlElement): void {
    const id = attributeOf(element, 'id');
    if (id === null) throw this.#invalid('an objective has no id');
    this.#checkIri(id, 'objective');
    if (this.#objectives.has(id)) throw this.#invalid(`two objectives have the id ${quoted(id)}`);
    this.#budget.spend(1);
    this.#objectives.set(id, { id, ...this.#texts(element) });
  }

  #checkIri(id: string, what: string): void {
    if (isAbsoluteIri(id)) return;
    this.#course.refuse(this.#invalid(notAbsoluteIri(id, what)));
  }

  /** The launch adds these parameters. If one occurred twice, a unit could read the wrong value. */
  #checkParameters(unit: string, url: string): void {
    const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
    const taken = CMI5_PARAMETERS.find((name) => new URLSearchParams(query).has(name));
    if (taken === undefined) return;
    this.#course.refuse(
      this.#invalid(
        `the address of the unit ${quoted(unit)} has the parameter ${taken}, which the launch adds`,
      ),
    );
  }

  #objectivesOf(element: XmlElement): CourseObjective[] {
    return childrenOf(childOf(element, 'objectives'), 'objective').flatMap((reference) => {
      const id = attributeOf(reference, 'idref');
      if (id === null) return [];
      this.#budget.spend(1);
      const [title = null] = Object.values(this.#objectives.get(id)?.titles ?? {});
      return { id, title };
    });
  }

  #texts(element: XmlElement | undefined): { titles: LanguageMap; descriptions: LanguageMap } {
    return {
      titles: this.#languages(childOf(element, 'title')),
      descriptions: this.#languages(childOf(element, 'description')),
    };
  }

  #languages(element: XmlElement | undefined): LanguageMap {
    const texts = new Map<string, string>();
    for (const langstring of childrenOf(element, 'langstring')) {
      const text = shortText(langstring);
      const language = attributeOf(langstring, 'lang') ?? 'und';
      if (text === null || texts.has(language)) continue;
      this.#budget.spend(1);
      texts.set(language, text);
    }
    return Object.fromEntries(texts);
  }

  #oneOf<Value extends string>(element: XmlElement, name: string, values: readonly Value[]): Value | null {
    const text = attributeOf(element, name);
    const value = values.find((candidate) => candidate === text) ?? null;
    if (text !== null && value === null) {
      throw this.#invalid(`${name} is ${quoted(text)}, not one of ${values.join(', ')}`);
    }
    return value;
  }

  #invalid(reason: string): PackageError {
    return packageError('MANIFEST_INVALID', { file: this.#file.name, reason });
  }
}

/** The title in the first language of the course. */
function firstLanguage(element: XmlElement | undefined): string | null {
  return titleText(textOf(childOf(element, 'title', 'langstring')));
}
