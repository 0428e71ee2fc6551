import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** The editions of the demo's course: the same pages, each with the manifest of its standard. */
export type CourseEdition = 'scorm-1.2' | 'scorm-2004';

/** A course package, ready to be uploaded. */
export interface CoursePackage {
  readonly fileName: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

const COURSE_FOLDER = path.join(import.meta.dirname, 'course');

/** Zips the course under `demo/course/`, as an authoring tool would publish it. */
export async function zipCourse(edition: CourseEdition): Promise<CoursePackage> {
  const zip = new ZipFile();
  for (const folder of [edition, 'content']) {
    const root = path.join(COURSE_FOLDER, folder);
    for (const name of (await readdir(root)).sort()) zip.addFile(path.join(root, name), name);
  }
  zip.end();
  return { fileName: `webhooks-${edition}.zip`, bytes: Buffer.from(await buffer(zip.outputStream)) };
}
