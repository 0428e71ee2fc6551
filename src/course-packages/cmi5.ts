import type { CourseFiles } from './course-files.ts';
import { resolveLaunch } from './launch-target.ts';
import type { Cmi5Settings, CourseOutline, LaunchUnit, MoveOn } from './package-description.ts';
import { type PackageError, packageError, quoted } from './package-error.ts';
import { scoreWithin } from './score-text.ts';
import { titleText } from './title-text.ts';
import { attributeOf, childOf, textOf, type XmlElement } from './xml-tree.ts';
import type { ZipMember } from './zip-directory.ts';

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
 * Reads a cmi5 course: its assignable units, in whatever blocks they are.
 *
 * @see {@link https://github.com/AICC/CMI-5_Spec_Current/blob/quartz/cmi5_spec.md} sections 13 and 14
 * @throws {PackageError} MANIFEST_INVALID, NOTHING_TO_LAUNCH, TOO_MANY_UNITS, LAUNCH_…, and those of reading XML
 */
export async function readCmi5(course: CourseFiles, file: ZipMember): Promise<CourseOutline> {
  const structure = await course.readXml(file);
  const invalid = (reason: string): PackageError =>
    packageError('MANIFEST_INVALID', { file: file.name, reason });
  if (structure.name !== 'courseStructure') {
    throw invalid(`it begins with the element ${quoted(structure.name)}, not "courseStructure"`);
  }
  const identifier = attributeOf(childOf(structure, 'course'), 'id');
  if (identifier === null) throw invalid('the course has no id');

  const units = new Map<string, LaunchUnit>();
  for (const element of assignableUnits(structure)) {
    const id = attributeOf(element, 'id');
    if (id === null) throw invalid('an assignable unit has no id');
    if (units.has(id)) throw invalid(`two assignable units have the id ${quoted(id)}`);
    const limit = course.limits.units;
    if (units.size >= limit) throw packageError('TOO_MANY_UNITS', { file: file.name, limit });
    units.set(id, {
      id,
      title: langstring(element) ?? id,
      launch: resolveLaunch(course, { unit: id, href: textOf(childOf(element, 'url')) }),
      reports: true,
      masteryScore: scoreWithin(course, attributeOf(element, 'masteryScore'), SCALED, id),
      completionThreshold: null,
      launchData: textOf(childOf(element, 'launchParameters')),
      maxTimeAllowed: null,
      timeLimitAction: null,
      cmi5: {
        moveOn: oneOf(element, 'moveOn', MOVE_ON, invalid) ?? 'NotApplicable',
        launchMethod: oneOf(element, 'launchMethod', LAUNCH_METHODS, invalid) ?? 'AnyWindow',
        activityType: attributeOf(element, 'activityType'),
        entitlementKey: textOf(childOf(element, 'entitlementKey')),
      },
    });
  }
  if (units.size === 0) throw packageError('NOTHING_TO_LAUNCH', { file: file.name });
  return {
    learningStandard: 'CMI5',
    title: langstring(childOf(structure, 'course')) ?? '',
    identifier,
    units: [...units.values()],
  };
}

function* assignableUnits(parent: XmlElement): Generator<XmlElement> {
  for (const child of parent.children) {
    if (child.name === 'au') yield child;
    else if (child.name === 'block') yield* assignableUnits(child);
  }
}

/** The title in the first language that the course gives. */
function langstring(element: XmlElement | undefined): string | null {
  return titleText(textOf(childOf(element, 'title', 'langstring')));
}

function oneOf<Value extends string>(
  element: XmlElement,
  name: string,
  values: readonly Value[],
  invalid: (reason: string) => PackageError,
): Value | null {
  const text = attributeOf(element, name);
  const value = values.find((candidate) => candidate === text) ?? null;
  if (text !== null && value === null) {
    throw invalid(`${name} is ${quoted(text)}, not one of ${values.join(', ')}`);
  }
  return value;
}
