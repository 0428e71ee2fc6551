import assert from 'node:assert/strict';
import { uploadForm } from '../content/packages.ts';
import {
  aiccPackage,
  cmi5Package,
  scorm12Package,
  scorm2004Package,
  xapiPackage,
} from '../support/course-packages.ts';
import type { Choices } from './choices.ts';
import { type AssetReference, type ContentModel, HOME, keyOf } from './content-model.ts';
import { answered, type ContentOperation, created, deleted } from './operation.ts';

const PACKAGES = {
  SCORM_12: scorm12Package,
  SCORM_2004_2ND_EDITION: (options: { title: string }) => scorm2004Package({ ...options, edition: '2nd' }),
  SCORM_2004_3RD_EDITION: (options: { title: string }) => scorm2004Package({ ...options, edition: '3rd' }),
  SCORM_2004_4TH_EDITION: scorm2004Package,
  AICC: aiccPackage,
  CMI5: cmi5Package,
  XAPI: xapiPackage,
} as const;

type Standard = keyof typeof PACKAGES;

/** Simple enough for the manifests of all standards. */
const TITLE = 'A course of its package';

/** Chooses operations on folders, courses, equivalents and bundles. */
export class ContentOperations {
  readonly #model: ContentModel;
  readonly #choices: Choices;

  constructor(model: ContentModel, choices: Choices) {
    this.#model = model;
    this.#choices = choices;
  }

  createFolder(): ContentOperation {
    const name = this.#choices.name('Folder');
    const parentId = this.#folder();
    return {
      what: `create folder ${name} in ${parentId}`,
      concerns: null,
      run: async (call) => {
        const { id } = created(await call('POST', '/folders', { name, parent_id: parentId }));
        this.#model.folders.set(id, { id, name, parentId });
        return [];
      },
    };
  }

  updateFolder(): ContentOperation | null {
    const folder = this.#choices.one([...this.#model.folders.values()].filter(({ id }) => id !== HOME));
    if (folder === undefined) return null;
    const name = this.#choices.chance(0.5) ? this.#choices.name('Folder') : folder.name;
    const others = [...this.#model.folders.keys()].filter((id) => !this.#model.isWithin(id, folder.id));
    const parentId = this.#choices.one(others) ?? HOME;
    return {
      what: `update folder ${folder.id}: ${name} in ${parentId}`,
      concerns: null,
      run: async (call) => {
        answered(await call('PUT', `/folders/${folder.id}`, { name, parent_id: parentId }), 200);
        Object.assign(folder, { name, parentId });
        return [];
      },
    };
  }

  deleteFolder(): ContentOperation | null {
    const folder = this.#choices.one([...this.#model.folders.values()].filter(({ id }) => id !== HOME));
    if (folder === undefined) return null;
    const holdsSomething = [
      ...[...this.#model.folders.values()].map(({ parentId }) => parentId),
      ...[this.#model.courses, this.#model.equivalents, this.#model.bundles].flatMap((all) =>
        [...all.values()].map(({ folderId }) => folderId),
      ),
    ].includes(folder.id);
    return this.#delete({ type: 'FOLDER', id: folder.id }, 'folders', this.#model.folders, holdsSomething);
  }

  importCourse(): ContentOperation {
    const standard = this.#standard();
    const name = this.#choices.chance(0.8) ? this.#choices.name('Course') : null;
    const folderId = this.#folder();
    return {
      what: `import a ${standard} course into folder ${folderId}`,
      concerns: { changes: ['what folders hold'], reads: [] },
      run: async (call, user) => {
        const fields = { folder_id: String(folderId), ...(name === null ? {} : { name }) };
        const { id, learning_standard } = created(
          await call('POST', '/courses', await packageForm(standard, fields)),
        );
        assert.equal(learning_standard, standard);
        const course = { id, name: name ?? TITLE, folderId, versions: [standard], published: 0 };
        this.#model.courses.set(id, course);
        return [this.#model.courseEvent('COURSE_IMPORTED', course, 0, user)];
      },
    };
  }

  uploadVersion(): ContentOperation | null {
    const course = this.#choices.one(this.#model.courses.values());
    if (course === undefined) return null;
    const standard = this.#standard();
    return {
      what: `upload a version of course ${course.id}`,
      concerns: { changes: [`course ${course.id}`], reads: [] },
      run: async (call, user) => {
        created(await call('POST', `/courses/${course.id}/versions`, await packageForm(standard, {})));
        course.versions.push(standard);
        return [this.#model.courseEvent('COURSE_VERSION_UPLOADED', course, course.versions.length - 1, user)];
      },
    };
  }

  publishVersion(): ContentOperation | null {
    const course = this.#choices.one(this.#model.courses.values());
    if (course === undefined) return null;
    const version = this.#choices.between(0, course.versions.length - 1);
    return {
      what: `publish version ${version} of course ${course.id}`,
      concerns: { changes: [`course ${course.id}`], reads: [] },
      run: async (call, user) => {
        answered(await call('POST', `/courses/${course.id}/versions/${version}/publish`), 200);
        if (course.published === version) return [];
        course.published = version;
        return [this.#model.courseEvent('COURSE_VERSION_PUBLISHED', course, version, user)];
      },
    };
  }

  updateCourse(): ContentOperation | null {
    const course = this.#choices.one(this.#model.courses.values());
    if (course === undefined) return null;
    const name = this.#choices.chance(0.6) ? this.#choices.name('Course') : course.name;
    const folderId = this.#choices.chance(0.6) ? this.#folder() : course.folderId;
    return {
      what: `update course ${course.id}: ${name} in ${folderId}`,
      concerns: null,
      run: async (call) => {
        answered(await call('PUT', `/courses/${course.id}`, { name, folder_id: folderId }), 200);
        Object.assign(course, { name, folderId });
        return [];
      },
    };
  }

  deleteCourse(): ContentOperation | null {
    const course = this.#choices.one(this.#model.courses.values());
    return course === undefined
      ? null
      : this.#delete({ type: 'COURSE', id: course.id }, 'courses', this.#model.courses, false);
  }

  createEquivalent(): ContentOperation | null {
    const courseIds = this.#choices.some(this.#model.courses.keys(), 3);
    if (courseIds.length === 0) return null;
    const name = this.#choices.name('Equivalent');
    const folderId = this.#folder();
    return {
      what: `create equivalent ${name} of courses ${courseIds}`,
      concerns: null,
      run: async (call) => {
        const body = { name, folder_id: folderId, courses: inLanguages(courseIds) };
        const { id } = created(await call('POST', '/equivalents', body));
        this.#model.equivalents.set(id, { id, name, folderId, courseIds });
        return [];
      },
    };
  }

  updateEquivalent(): ContentOperation | null {
    const equivalent = this.#choices.one(this.#model.equivalents.values());
    const courseIds = this.#choices.some(this.#model.courses.keys(), 3);
    if (equivalent === undefined || courseIds.length === 0) return null;
    const { id, name } = equivalent;
    const folderId = this.#folder();
    return {
      what: `update equivalent ${id}: courses ${courseIds} in ${folderId}`,
      concerns: null,
      run: async (call) => {
        const body = { name, folder_id: folderId, courses: inLanguages(courseIds) };
        answered(await call('PUT', `/equivalents/${id}`, body), 200);
        Object.assign(equivalent, { folderId, courseIds });
        return [];
      },
    };
  }

  createBundle(): ContentOperation | null {
    const contents = this.#bundleContents();
    if (contents.length === 0) return null;
    const name = this.#choices.name('Bundle');
    const folderId = this.#folder();
    return {
      what: `create bundle ${name} of ${contents.map(keyOf)}`,
      concerns: null,
      run: async (call) => {
        const { id } = created(await call('POST', '/bundles', { name, folder_id: folderId, contents }));
        this.#model.bundles.set(id, { id, name, folderId, contents });
        return [];
      },
    };
  }

  updateBundle(): ContentOperation | null {
    const bundle = this.#choices.one(this.#model.bundles.values());
    const contents = this.#bundleContents();
    if (bundle === undefined || contents.length === 0) return null;
    const name = this.#choices.name('Bundle');
    const folderId = this.#folder();
    return {
      what: `update bundle ${bundle.id}: ${name} of ${contents.map(keyOf)} in ${folderId}`,
      concerns: null,
      run: async (call) => {
        answered(await call('PUT', `/bundles/${bundle.id}`, { name, folder_id: folderId, contents }), 200);
        Object.assign(bundle, { name, folderId, contents });
        return [];
      },
    };
  }

  deleteGroup(): ContentOperation | null {
    const { equivalents, bundles } = this.#model;
    const [type, place, all] = this.#choices.chance(0.5)
      ? (['EQUIVALENT', 'equivalents', equivalents] as const)
      : (['BUNDLE', 'bundles', bundles] as const);
    const id = this.#choices.one(all.keys());
    return id === undefined ? null : this.#delete({ type, id }, place, all, false);
  }

  #delete(
    reference: AssetReference,
    place: string,
    all: Map<number, unknown>,
    holdsSomething: boolean,
  ): ContentOperation {
    return {
      what: `delete ${keyOf(reference)}`,
      concerns: null,
      run: async (call) => {
        const answer = await call('DELETE', `/${place}/${reference.id}`);
        if (holdsSomething || this.#model.isInUse(reference)) answered(answer, 409);
        else {
          deleted(answer);
          all.delete(reference.id);
        }
        return [];
      },
    };
  }

  #bundleContents(): AssetReference[] {
    return this.#choices.some(
      this.#model.assets().filter(({ type }) => type === 'COURSE' || type === 'EQUIVALENT'),
      4,
    );
  }

  #folder(): number {
    return this.#choices.one(this.#model.folders.keys()) ?? HOME;
  }

  #standard(): Standard {
    return this.#choices.one(Object.keys(PACKAGES) as Standard[])!;
  }
}

async function packageForm(standard: Standard, fields: Record<string, string>): Promise<FormData> {
  return uploadForm(new Uint8Array(await PACKAGES[standard]({ title: TITLE })), fields);
}

function inLanguages(courseIds: readonly number[]): object[] {
  return courseIds.map((course_id, n) => ({ course_id, language: ['en', 'de', 'pt-BR'][n] }));
}
