import type { CourseFiles, SourceFile } from '../course-files.ts';
import { flatStructure } from '../course-structure.ts';
import type { CourseOutline } from '../package-description.ts';
import { packageError } from '../package-error.ts';
import { attributeOf, childOf, childrenOf, textOf } from '../xml-tree.ts';
import { isAbsoluteIri, notAbsoluteIri } from './absolute-iri.ts';
import { resolveLaunchTarget } from './launch-target.ts';
import { titleText } from './title-text.ts';

/**
 * Reads an xAPI course described by a `tincan.xml`: the first activity that can be launched. Others before it
 * are its questions and parts.
 *
 * @see {@link https://github.com/RusticiSoftware/TinCanSchema}
 * @throws {PackageError} MANIFEST_INVALID, NOTHING_TO_LAUNCH, LAUNCH_…, and those of reading XML
 */
export async function readTinCan(course: CourseFiles, file: SourceFile): Promise<CourseOutline> {
  const tincan = await course.readXml(file, 'tincan');
  const launchable = childrenOf(childOf(tincan, 'activities'), 'activity').filter(
    (activity) => childOf(activity, 'launch') !== undefined,
  );
  const [activity] = launchable;
  if (activity === undefined) throw packageError('NOTHING_TO_LAUNCH', { file: file.name });
  if (launchable.length > 1) {
    course.warn(
      `The manifest has ${launchable.length} activities that can be launched. Only the first is used.`,
    );
  }
  const id = attributeOf(activity, 'id');
  if (id === null) {
    throw packageError('MANIFEST_INVALID', { file: file.name, reason: 'the activity has no id' });
  }
  if (!isAbsoluteIri(id)) {
    course.refuse(
      packageError('MANIFEST_INVALID', { file: file.name, reason: notAbsoluteIri(id, 'activity') }),
    );
  }
  const title = titleText(textOf(childOf(activity, 'name')));
  const unit = { id, title: title ?? id };
  return {
    learningStandard: 'XAPI',
    title: title ?? '',
    structure: flatStructure(id, [unit]),
    units: [
      {
        ...unit,
        launch: resolveLaunchTarget(course, { unit: id, href: textOf(childOf(activity, 'launch')) }),
        reports: true,
        masteryScore: null,
        completionThreshold: null,
        launchData: null,
        maxTimeAllowed: null,
        timeLimitAction: null,
        cmi5: null,
      },
    ],
  };
}
