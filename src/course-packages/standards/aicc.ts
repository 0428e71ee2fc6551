import type { CourseFiles, SourceFile } from '../course-files.ts';
import { type CourseStructure, inStructureOrder } from '../course-structure.ts';
import type { CourseOutline, LaunchUnit } from '../package-description.ts';
import { packageError, quoted } from '../package-error.ts';
import { StructureBudget } from '../structure-budget.ts';
import type { PiecewiseText } from '../text-decoding.ts';
import { aiccItems } from './aicc-structure.ts';
import { parseRecords, parseSection, parseTable, type TableRow } from './aicc-tables.ts';
import { resolveLaunchTarget } from './launch-target.ts';
import { PERCENT, scoreWithin } from './score-text.ts';
import { titleText } from './title-text.ts';

/**
 * Reads an AICC course: its description (`.crs`), assignable units (`.au`) and their titles (`.des`). It also reads its
 * structure (`.cst`), prerequisites (`.pre`), completion requirements (`.cmp`) and objectives (`.ort`). The case of
 * file extensions, members and columns is ignored.
 *
 * @see AICC CMI001 Guidelines for Interoperability, the course structure files
 * @returns null if there is no `.au` file: the description is left over from another course
 * @throws {PackageError} MANIFEST_INVALID, MANIFEST_TOO_COMPLEX, NOTHING_TO_LAUNCH, TOO_MANY_UNITS, LAUNCH_…, and those of
 *   reading text
 */
export async function readAicc(course: CourseFiles, description: SourceFile): Promise<CourseOutline | null> {
  const file = (extension: string): SourceFile | undefined => besides(course, description, extension);
  const unitsFile = file('au');
  if (unitsFile === undefined) return null;
  const descriptorsFile = file('des');
  if (descriptorsFile === undefined) {
    course.warn('The AICC course has no .des file, so its units have no titles.');
  }
  const structureFile = file('cst');
  if (structureFile === undefined) {
    course.warn('The AICC course has no .cst file, so the structure of its units is unknown.');
  }

  const about = parseSection(await course.readText(description), 'Course');
  const titles = await readTitles(course, descriptorsFile);
  const units = new Map<string, LaunchUnit>();
  for (const row of await readRows(course, unitsFile, parseTable)) {
    const id = fieldOf(row, 'system_id');
    if (id === null) continue;
    const key = id.toUpperCase();
    const limit = course.limits.units;
    if (units.size >= limit) throw packageError('TOO_MANY_UNITS', { file: unitsFile.name, limit });
    if (units.has(key)) {
      throw packageError('MANIFEST_INVALID', {
        file: unitsFile.name,
        reason: `two units have the System_ID ${quoted(id)}`,
      });
    }
    units.set(key, readUnit(course, row, id, titles.get(key)));
  }
  if (units.size === 0) throw packageError('NOTHING_TO_LAUNCH', { file: unitsFile.name });
  const items = aiccItems(
    course,
    {
      units,
      titles,
      structure: structureFile === undefined ? null : await readRows(course, structureFile, parseRecords),
      prerequisites: await readRows(course, file('pre'), parseTable),
      completions: await readRows(course, file('cmp'), parseTable),
      objectives: await readRows(course, file('ort'), parseRecords),
    },
    new StructureBudget(description.name, course.limits.structureNodes),
  );
  const identifier = about.get('course_id') || null;
  const structure: CourseStructure = { identifier, items, scorm2004: null, cmi5: null };
  return {
    learningStandard: 'AICC',
    title: titleText(about.get('course_title') ?? null) ?? '',
    // The order of the rows in the .au file says nothing.
    units: inStructureOrder([...units.values()], structure),
    structure,
  };
}

function readUnit(course: CourseFiles, row: TableRow, id: string, title: string | undefined): LaunchUnit {
  return {
    id,
    title: title ?? id,
    launch: resolveLaunchTarget(course, {
      unit: id,
      href: fieldOf(row, 'file_name'),
      parameters: fieldOf(row, 'web_launch'),
    }),
    reports: true,
    masteryScore: scoreWithin(course, fieldOf(row, 'mastery_score'), PERCENT, id),
    completionThreshold: null,
    launchData: fieldOf(row, 'core_vendor'),
    maxTimeAllowed: fieldOf(row, 'max_time_allowed'),
    timeLimitAction: fieldOf(row, 'time_limit_action'),
    cmi5: null,
  };
}

/** The file with this extension that belongs to the description: the one with the same name, otherwise the first. */
function besides(course: CourseFiles, description: SourceFile, extension: string): SourceFile | undefined {
  const files = course.beside(new RegExp(`\\.${extension}$`, 'i'));
  const wanted = description.name.replace(/crs$/i, extension).toLowerCase();
  return files.find(({ name }) => name.toLowerCase() === wanted) ?? files[0];
}

async function readTitles(course: CourseFiles, file: SourceFile | undefined): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (const row of await readRows(course, file, parseTable)) {
    const id = fieldOf(row, 'system_id');
    const title = titleText(fieldOf(row, 'title'));
    if (id !== null && title !== null) titles.set(id.toUpperCase(), title);
  }
  return titles;
}

/** The rows of a table; none without its file. @throws {PackageError} MANIFEST_TOO_COMPLEX */
async function readRows<Row>(
  course: CourseFiles,
  file: SourceFile | undefined,
  parse: (text: PiecewiseText, maxFields: number) => Row[] | null,
): Promise<Row[]> {
  if (file === undefined) return [];
  const rows = parse(await course.readText(file), course.limits.manifestNodes);
  if (rows === null) throw packageError('MANIFEST_TOO_COMPLEX', { file: file.name });
  return rows;
}

function fieldOf(row: TableRow, column: string): string | null {
  return row.get(column) || null;
}
