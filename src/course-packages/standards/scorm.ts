import type { CourseFiles, SourceFile } from '../course-files.ts';
import { plainItem, type Scorm2004Course, type StructureItem } from '../course-structure.ts';
import type { LearningStandard } from '../learning-standard.ts';
import type { CourseOutline, LaunchUnit } from '../package-description.ts';
import { packageError, quoted } from '../package-error.ts';
import type { Sequencing } from '../scorm-sequencing.ts';
import { NODES_OF_AN_ITEM, StructureBudget } from '../structure-budget.ts';
import { attributeOf, childOf, childrenOf, textOf, XML_NAMESPACE, type XmlElement } from '../xml-tree.ts';
import { resolveLaunchTarget } from './launch-target.ts';
import { SequencingReader } from './read-sequencing.ts';
import { PERCENT, scoreWithin } from './score-text.ts';
import { Scorm2004Reader } from './scorm-2004.ts';
import { scormEdition } from './scorm-edition.ts';
import { FRACTION, ScormValues } from './scorm-values.ts';
import { shortText, titleText } from './title-text.ts';

/** The parts of a unit. */
interface UnitSource {
  readonly id: string;
  readonly resource: XmlElement;
  /** Null before SCORM 2004. */
  readonly sequencing: Sequencing | null;
}

/**
 * Reads a SCORM 1.1, 1.2 or 2004 course. Null for plain IMS content or a Common Cartridge.
 *
 * @see the Content Aggregation Models of SCORM 1.2 and SCORM 2004
 * @throws {PackageError} MANIFEST_INVALID, NOTHING_TO_LAUNCH, TOO_MANY_UNITS, LAUNCH_…, and those of reading XML
 */
export async function readScorm(course: CourseFiles, file: SourceFile): Promise<CourseOutline | null> {
  const manifest = await course.readXml(file, 'manifest');
  const learningStandard = scormEdition(manifest, course);
  if (learningStandard === null) return null;

  const organization = defaultOrganization(manifest, course);
  const title = titleText(textOf(childOf(organization, 'title'))) ?? lomTitle(manifest) ?? '';
  const reader = new ItemReader(course, file, manifest, learningStandard);
  const { units, items } = reader.read(organization);
  const identifier = attributeOf(manifest, 'identifier');
  const scorm2004 = reader.readRoot(organization, title);
  return {
    learningStandard,
    title,
    units,
    structure: { identifier, items, scorm2004, cmi5: null },
  };
}

function defaultOrganization(manifest: XmlElement, course: CourseFiles): XmlElement | undefined {
  const organizations = childOf(manifest, 'organizations');
  const all = childrenOf(organizations, 'organization');
  const wanted = attributeOf(organizations, 'default');
  const organization = all.find((candidate) => attributeOf(candidate, 'identifier') === wanted) ?? all[0];
  if (all.length > 1) {
    course.warn(
      `The manifest has ${all.length} organizations. Only ${quoted(attributeOf(organization, 'identifier') ?? '')} is used.`,
    );
  }
  return organization;
}

function lomTitle(manifest: XmlElement): string | null {
  const title = childOf(manifest, 'metadata', 'lom', 'general', 'title');
  return titleText(textOf(childOf(title, 'langstring') ?? childOf(title, 'string')));
}

class ItemReader {
  readonly #course: CourseFiles;
  readonly #file: SourceFile;
  readonly #values: ScormValues;
  readonly #isScorm2004: boolean;
  readonly #bases: readonly (string | null)[];
  readonly #resources: ReadonlyMap<string | null, XmlElement>;
  readonly #sequencings: SequencingReader;
  readonly #extras: Scorm2004Reader;
  readonly #budget: StructureBudget;
  readonly #units = new Map<string, LaunchUnit>();
  readonly #ids = new Set<string>();
  /** The units whose resource does not say whether it is a SCO. */
  readonly #untyped: string[] = [];

  constructor(course: CourseFiles, file: SourceFile, manifest: XmlElement, standard: LearningStandard) {
    const resources = childOf(manifest, 'resources');
    this.#course = course;
    this.#file = file;
    this.#values = new ScormValues(course);
    this.#isScorm2004 = standard.startsWith('SCORM_2004');
    this.#bases = [xmlBase(manifest), xmlBase(resources)];
    this.#resources = byIdentifier(childrenOf(resources, 'resource'));
    this.#budget = new StructureBudget(file.name, course.limits.structureNodes);
    const collection = childOf(manifest, 'sequencingCollection');
    this.#sequencings = new SequencingReader(course, collection, this.#budget);
    this.#extras = new Scorm2004Reader(course);
  }

  /** An organization's tree, and its units in the order of the tree. */
  read(organization: XmlElement | undefined): { items: StructureItem[]; units: LaunchUnit[] } {
    const items = organization === undefined ? this.#readResources() : this.#readItems(organization);
    if (this.#units.size === 0) throw packageError('NOTHING_TO_LAUNCH', { file: this.#file.name });
    this.#warnOfUntyped();
    return { items, units: [...this.#units.values()] };
  }

  /** Authors who forget the attribute would wonder why the course is completed at once. */
  #warnOfUntyped(): void {
    const [first, ...others] = this.#untyped;
    if (first === undefined) return;
    const further = others.length === 0 ? '' : ` and ${others.length} more`;
    this.#course.warnFirst(
      `The resource of the unit ${quoted(first)}${further} has no scormtype, so it counts as an asset: it is completed ` +
        'when it is opened, and what it reports is not recorded. If it reports, add the type "sco".',
    );
  }

  /** The SCORM 2004 data of the whole tree; null in other versions. */
  readRoot(organization: XmlElement | undefined, title: string): Scorm2004Course | null {
    if (!this.#isScorm2004) return null;
    const sequencing = this.#sequencings.read(organization);
    this.#spendRollup(sequencing, organization);
    return this.#extras.course(organization, title, sequencing);
  }

  /** Every save may apply each rollup rule of a block to each of its children. */
  #spendRollup({ rollup }: Sequencing, block: XmlElement | undefined): void {
    this.#budget.spend(rollup.rules.length * childrenOf(block, 'item').length);
  }

  /** A manifest without an organization is content for other courses. Its SCOs are what learners can open. */
  #readResources(): StructureItem[] {
    const scos = [...this.#resources].filter(
      ([, resource]) => isSco(resource) && attributeOf(resource, 'href') !== null,
    );
    if (scos.length > 0) {
      this.#course.warn('The manifest has no organization. Each of its SCOs becomes a unit.');
    }
    return scos.map(([id, resource]) => {
      this.#budget.spend(NODES_OF_AN_ITEM);
      const sequencing = this.#isScorm2004 ? this.#sequencings.read(undefined) : null;
      const unit = this.#addUnit(undefined, { id: id!, resource, sequencing });
      return {
        ...plainItem(unit),
        scorm2004: sequencing === null ? null : this.#extras.item(undefined, sequencing),
      };
    });
  }

  #readItems(parent: XmlElement | undefined): StructureItem[] {
    return childrenOf(parent, 'item').map((item) => {
      this.#budget.spend(NODES_OF_AN_ITEM);
      const reference = attributeOf(item, 'identifierref');
      const resource = this.#resources.get(reference);
      if (reference !== null && resource === undefined) {
        this.#course.warn(
          `An item refers to the resource ${quoted(reference)}, which the manifest does not have. The item cannot be opened.`,
        );
      }
      const id = this.#idOf(item, resource !== undefined);
      // Both readers share the sequencing, so an error in it is reported once.
      const sequencing = this.#isScorm2004 ? this.#sequencings.read(item) : null;
      if (sequencing !== null) this.#spendRollup(sequencing, item);
      const unit = resource === undefined ? null : this.#addUnit(item, { id, resource, sequencing });
      return {
        ...plainItem({ id, title: titleText(textOf(childOf(item, 'title'))) ?? id }),
        isUnit: unit !== null,
        isVisible: this.#values.flag(item, 'isvisible', true),
        prerequisites: this.#isScorm2004 ? null : shortText(childOf(item, 'prerequisites')),
        scorm2004: sequencing === null ? null : this.#extras.item(item, sequencing),
        children: this.#readItems(item),
      };
    });
  }

  /** A block without an identifier, or with a repeated one, gets a generated one. */
  #idOf(item: XmlElement, isUnit: boolean): string {
    const id = attributeOf(item, 'identifier');
    if (isUnit && id === null) throw this.#invalid('an item has no identifier');
    if (id !== null && !this.#ids.has(id)) {
      this.#ids.add(id);
      return id;
    }
    if (isUnit) throw this.#invalid(`two items have the identifier ${quoted(id ?? '')}`);
    // An XML identifier never contains "#".
    const own = `item#${this.#ids.size}`;
    this.#ids.add(own);
    return own;
  }

  #addUnit(item: XmlElement | undefined, about: UnitSource): LaunchUnit {
    const limit = this.#course.limits.units;
    if (this.#units.size >= limit) throw packageError('TOO_MANY_UNITS', { file: this.#file.name, limit });
    const unit = this.#unit(item, about);
    this.#units.set(unit.id, unit);
    if (attributeOf(about.resource, 'scormtype') === null) this.#untyped.push(unit.id);
    return unit;
  }

  #unit(item: XmlElement | undefined, { id, resource, sequencing }: UnitSource): LaunchUnit {
    return {
      id,
      title: titleText(textOf(childOf(item, 'title'))) ?? id,
      launch: resolveLaunchTarget(this.#course, {
        unit: id,
        href: attributeOf(resource, 'href'),
        bases: [...this.#bases, xmlBase(resource)],
        parameters: attributeOf(item, 'parameters'),
      }),
      reports: isSco(resource),
      masteryScore:
        sequencing === null
          ? scoreWithin(this.#course, textOf(childOf(item, 'masteryscore')), PERCENT, id)
          : passingMeasure(sequencing),
      completionThreshold: this.#isScorm2004 ? this.#completionThreshold(item, id) : null,
      launchData: textOf(childOf(item, 'dataFromLMS')),
      maxTimeAllowed:
        sequencing === null
          ? textOf(childOf(item, 'maxtimeallowed'))
          : sequencing.limitConditions.attemptAbsoluteDurationLimit,
      timeLimitAction: textOf(childOf(item, 'timeLimitAction')),
      cmi5: null,
    };
  }

  /** The text of an element up to the 3rd edition; in the 4th, its attribute, and only if it is in use. */
  #completionThreshold(item: XmlElement | undefined, id: string): number | null {
    const threshold = childOf(item, 'completionThreshold');
    const measure = attributeOf(threshold, 'minProgressMeasure');
    if (measure === null) return scoreWithin(this.#course, textOf(threshold), FRACTION, id);
    if (attributeOf(threshold, 'completedByMeasure') !== 'true') return null;
    return scoreWithin(this.#course, measure, FRACTION, id);
  }

  #invalid(reason: string): Error {
    return packageError('MANIFEST_INVALID', { file: this.#file.name, reason });
  }
}

/** A resource is an asset unless its type is `sco`. The attribute is `scormtype` in 1.2, `scormType` in 2004. */
function isSco(resource: XmlElement): boolean {
  return attributeOf(resource, 'scormtype')?.toLowerCase() === 'sco';
}

function passingMeasure({ primaryObjective }: Sequencing): number | null {
  return primaryObjective?.satisfiedByMeasure === true ? primaryObjective.minNormalizedMeasure : null;
}

function xmlBase(element: XmlElement | undefined): string | null {
  return attributeOf(element, 'base', XML_NAMESPACE);
}

function byIdentifier(elements: readonly XmlElement[]): Map<string | null, XmlElement> {
  const found = new Map(elements.map((element) => [attributeOf(element, 'identifier'), element]));
  found.delete(null);
  return found;
}
