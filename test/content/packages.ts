import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { scorm12Package } from '../support/course-packages.ts';
import type { Answer, RunningService, TestService } from '../support/service.ts';

/** The form of an upload: the package and its fields. */
export function uploadForm(
  packageBytes: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
): FormData {
  const form = new FormData();
  form.set('file', new Blob([packageBytes], { type: 'application/zip' }), 'course.zip');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

const VERSION_COLUMNS = 'title, units, warnings, file_count, byte_count, created_at';

/** SQL that gives each course of one version a version before it, of another standard. */
export const FORMER_VERSIONS = `
  insert into course_versions (course_id, version_id, learning_standard, content_key, ${VERSION_COLUMNS})
  select course_id, version_id - 1, 'AICC', content_key || '-former', ${VERSION_COLUMNS} from course_versions`;

/** Imports a small SCORM 1.2 course and returns its record. */
export async function importCourse(
  { api }: Pick<RunningService, 'api'>,
  fields: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
): Promise<any> {
  return await api.create('/courses', uploadForm(await scormPackage(), fields));
}

/** The bytes of a small SCORM 1.2 course. */
export async function scormPackage(title = 'Fire safety'): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await scorm12Package({ title }));
}

/** The files of courses on the disk: folders of the content store, and uploads in progress. */
export function filesOf({ settings }: Pick<TestService, 'settings'>): { content: string[]; tmp: string[] } {
  const names = (folder: string) => readdirSync(path.join(settings.data_dir, folder)).sort();
  // Where several instances may share the folder, a file in it names its owner.
  return {
    content: names('content').filter((name) => name !== 'coursewire-installation'),
    tmp: names('tmp'),
  };
}

/** Asserts that a response is a problem of this status, and returns its errors by member. */
export function problemErrors(answer: Answer, status: number): Record<string, string> {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  assert.equal(answer.body.status, status);
  const errors: { pointer: string; detail: string }[] = answer.body.errors ?? [];
  return Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]));
}
