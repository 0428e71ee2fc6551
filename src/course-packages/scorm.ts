import type { CourseFiles } from './course-files.ts';
import { resolveLaunch } from './launch-target.ts';
import type { LearningStandard } from './learning-standard.ts';
import type { CourseOutline, LaunchUnit } from './package-description.ts';
import { packageError, quoted } from './package-error.ts';
import { scoreWithin } from './score-text.ts';
import { scormEdition } from './scorm-edition.ts';
import { titleText } from './title-text.ts';
import { attributeOf, childOf, childrenOf, textOf, XML_NAMESPACE, type XmlElement } from './xml-tree.ts';
import type { ZipMember } from './zip-directory.ts';

const PERCENT = [0, 100] as const;
const NORMALIZED = [-1, 1] as const;
const PROGRESS = [0, 1] as const;

/** What `minNormalizedMeasure` is when it is left out (SCORM 2004 Sequencing and Navigation, objectives). */
const DEFAULT_MEASURE = 1;

/**
 * Reads a SCORM 1.1, 1.2 or 2004 course. Null when the manifest is of plain IMS content or a Common Cartridge.
 *
 * @see the Content Aggregation Models of SCORM 1.2 and SCORM 2004
 * @throws {PackageError} MANIFEST_INVALID, NOTHING_TO_LAUNCH, TOO_MANY_UNITS, LAUNCH_…, and those of reading XML
 */
export async function readScorm(course: CourseFiles, file: ZipMember): Promise<CourseOutline | null> {
  const manifest = await course.readXml(file);
  if (manifest.name !== 'manifest') {
    throw packageError('MANIFEST_INVALID', {
      file: file.name,
      reason: `it begins with the element ${quoted(manifest.name)}, not "manifest"`,
    });
  }
  const learningStandard = scormEdition(manifest, course);
  if (learningStandard === null) return null;

  const organization = defaultOrganization(manifest, course);
  const units = new ItemReader(course, file, manifest, learningStandard).read(organization);
  const title = titleText(textOf(childOf(organization, 'title'))) ?? lomTitle(manifest) ?? '';
  return { learningStandard, title, identifier: attributeOf(manifest, 'identifier'), units };
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
  readonly #file: ZipMember;
  readonly #isScorm2004: boolean;
  readonly #bases: readonly (string | null)[];
  readonly #resources: ReadonlyMap<string | null, XmlElement>;
  readonly #sequencings: ReadonlyMap<string | null, XmlElement>;
  readonly #units = new Map<string, LaunchUnit>();

  constructor(course: CourseFiles, file: ZipMember, manifest: XmlElement, standard: LearningStandard) {
    const resources = childOf(manifest, 'resources');
    this.#course = course;
    this.#file = file;
    this.#isScorm2004 = standard.startsWith('SCORM_2004');
    this.#bases = [xmlBase(manifest), xmlBase(resources)];
    this.#resources = byAttribute(childrenOf(resources, 'resource'), 'identifier');
    this.#sequencings = byAttribute(childOf(manifest, 'sequencingCollection')?.children ?? [], 'ID');
  }

  /** The units of an organization in the order of its tree. */
  read(organization: XmlElement | undefined): LaunchUnit[] {
    this.#readItems(organization);
    if (this.#units.size === 0) throw packageError('NOTHING_TO_LAUNCH', { file: this.#file.name });
    return [...this.#units.values()];
  }

  #readItems(parent: XmlElement | undefined): void {
    for (const item of childrenOf(parent, 'item')) {
      const reference = attributeOf(item, 'identifierref');
      const resource = this.#resources.get(reference);
      if (resource !== undefined) this.#addUnit(item, resource);
      else if (reference !== null) {
        this.#course.warn(
          `An item points to the resource ${quoted(reference)}, which the manifest does not have. It is left out.`,
        );
      }
      this.#readItems(item);
    }
  }

  #addUnit(item: XmlElement, resource: XmlElement): void {
    const unit = this.#unit(item, resource);
    const limit = this.#course.limits.units;
    if (this.#units.has(unit.id)) throw this.#invalid(`two items have the identifier ${quoted(unit.id)}`);
    if (this.#units.size >= limit) throw packageError('TOO_MANY_UNITS', { file: this.#file.name, limit });
    this.#units.set(unit.id, unit);
  }

  #unit(item: XmlElement, resource: XmlElement): LaunchUnit {
    const id = attributeOf(item, 'identifier');
    if (id === null) throw this.#invalid('an item has no identifier');
    return {
      id,
      title: titleText(textOf(childOf(item, 'title'))) ?? id,
      launch: resolveLaunch(this.#course, {
        unit: id,
        href: attributeOf(resource, 'href'),
        bases: [...this.#bases, xmlBase(resource)],
        parameters: attributeOf(item, 'parameters'),
      }),
      // An asset is what says so, or says nothing. The attribute is `scormtype` in 1.2, `scormType` in 2004.
      reports: attributeOf(resource, 'scormtype')?.toLowerCase() === 'sco',
      masteryScore: this.#isScorm2004 ? this.#passingMeasure(item, id) : this.#masteryScore(item, id),
      completionThreshold: this.#isScorm2004 ? this.#completionThreshold(item, id) : null,
      launchData: textOf(childOf(item, 'dataFromLMS')),
      maxTimeAllowed: this.#isScorm2004
        ? attributeOf(this.#sequencing(item, 'limitConditions'), 'attemptAbsoluteDurationLimit')
        : textOf(childOf(item, 'maxtimeallowed')),
      timeLimitAction: textOf(childOf(item, 'timeLimitAction')),
      cmi5: null,
    };
  }

  #masteryScore(item: XmlElement, id: string): number | null {
    return scoreWithin(this.#course, textOf(childOf(item, 'masteryscore')), PERCENT, id);
  }

  #passingMeasure(item: XmlElement, id: string): number | null {
    const objective = childOf(this.#sequencing(item, 'objectives'), 'primaryObjective');
    if (attributeOf(objective, 'satisfiedByMeasure') !== 'true') return null;
    const measure = textOf(childOf(objective, 'minNormalizedMeasure'));
    return measure === null ? DEFAULT_MEASURE : scoreWithin(this.#course, measure, NORMALIZED, id);
  }

  /** An element's text up to the 3rd edition, its attribute in the 4th, and there only if it is to be used. */
  #completionThreshold(item: XmlElement, id: string): number | null {
    const threshold = childOf(item, 'completionThreshold');
    const measure = attributeOf(threshold, 'minProgressMeasure');
    if (measure === null) return scoreWithin(this.#course, textOf(threshold), PROGRESS, id);
    if (attributeOf(threshold, 'completedByMeasure') !== 'true') return null;
    return scoreWithin(this.#course, measure, PROGRESS, id);
  }

  /** A part of an item's sequencing, its own or else of the shared one that it names. */
  #sequencing(item: XmlElement, part: string): XmlElement | undefined {
    const own = childOf(item, 'sequencing');
    const shared = this.#sequencings.get(attributeOf(own, 'IDRef'));
    return childOf(own, part) ?? childOf(shared, part);
  }

  #invalid(reason: string): Error {
    return packageError('MANIFEST_INVALID', { file: this.#file.name, reason });
  }
}

function xmlBase(element: XmlElement | undefined): string | null {
  return attributeOf(element, 'base', XML_NAMESPACE);
}

function byAttribute(elements: readonly XmlElement[], name: string): Map<string | null, XmlElement> {
  const found = new Map(elements.map((element) => [attributeOf(element, name), element]));
  found.delete(null);
  return found;
}
