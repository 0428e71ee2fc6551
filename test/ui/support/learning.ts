import { uploadForm } from '../../content/packages.ts';
import { scorm12Package } from '../../support/course-packages.ts';
import { HOSTILE } from './hostile-name.ts';
import type { Ui } from './ui.ts';

/** Courses in a folder, and accounts and registrations made with them through the API. */
export class Learning {
  readonly folderId: number;
  /** Ids of "Fire extinguishers", "Ladders" and {@link HOSTILE}. */
  readonly courses: readonly number[];
  readonly #ui: Ui;

  private constructor(ui: Ui, folderId: number, courses: readonly number[]) {
    this.#ui = ui;
    this.folderId = folderId;
    this.courses = courses;
  }

  static async create(ui: Ui): Promise<Learning> {
    const { api } = ui.service;
    const folderId = (await api.create('/folders', { name: 'Safety' })).id;
    const courses: number[] = [];
    for (const name of ['Fire extinguishers', 'Ladders', HOSTILE]) {
      const bytes = new Uint8Array(await scorm12Package({ title: name }));
      const form = uploadForm(bytes, { name, folder_id: String(folderId) });
      courses.push((await api.create('/courses', form)).id);
    }
    return new Learning(ui, folderId, courses);
  }

  /** Creates an account that has all courses, and returns its id. */
  async accountWithCourses(name: string): Promise<number> {
    const { id } = await this.#ui.service.api.create('/accounts', { name });
    await this.#ui.service.api.post(`/accounts/${id}/content`, {
      contents: this.courses.map((course) => ({ type: 'COURSE', id: course })),
    });
    return id;
  }

  /** Registers a learner for a course and returns the id of the registration. */
  async register(accountId: number, courseId: number, learner: string): Promise<string> {
    const body = { account_id: accountId, course_id: courseId, learner_id: learner };
    return (await this.#ui.service.api.create('/registrations', body)).registration_id;
  }
}
