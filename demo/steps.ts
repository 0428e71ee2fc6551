import type { Subtopic } from '../src/events/catalogue.ts';
import type { ApiClient } from './api-client.ts';
import { zipCourse } from './course-package.ts';

/** Something that the demo does, and the events that it causes. */
export interface Step {
  readonly title: string;
  readonly causes: readonly Subtopic[];
  run(): Promise<void>;
}

interface Made {
  readonly id: number;
}

interface MadeCourse extends Made {
  readonly version_id: number;
}

/**
 * The walk through the service's events, all of it through the API. Each step goes on from those before it. To show
 * another event, add a step that causes it, and where no target has its topic yet, a target.
 */
export function walk(api: ApiClient): Step[] {
  const account = { id: 0, name: 'Northwind Traders' };
  const folder = { id: 0, name: 'Onboarding' };
  const course = { id: 0, version: 0 };

  return [
    {
      title: 'A customer comes: create an account',
      causes: ['ACCOUNT_CREATED'],
      async run() {
        account.id = (await api.send<Made>('POST', '/accounts', { name: account.name })).id;
      },
    },
    {
      title: 'Make a folder for courses',
      causes: [],
      async run() {
        folder.id = (await api.send<Made>('POST', '/folders', { name: folder.name })).id;
      },
    },
    {
      title: 'Import a course, a SCORM 1.2 package',
      causes: ['COURSE_IMPORTED'],
      async run() {
        const fields = { folder_id: String(folder.id) };
        course.id = (await api.upload<Made>('/courses', await zipCourse('scorm-1.2'), fields)).id;
      },
    },
    {
      title: 'Upload a second version, made anew as SCORM 2004',
      causes: ['COURSE_VERSION_UPLOADED'],
      async run() {
        const path = `/courses/${course.id}/versions`;
        course.version = (await api.upload<MadeCourse>(path, await zipCourse('scorm-2004'))).version_id;
      },
    },
    {
      title: 'Publish it: learners get the new version',
      causes: ['COURSE_VERSION_PUBLISHED'],
      async run() {
        await api.send('POST', `/courses/${course.id}/versions/${course.version}/publish`);
      },
    },
    {
      title: 'The customer pauses: deactivate the account',
      causes: ['ACCOUNT_ACTIVATION_UPDATED'],
      async run() {
        await api.send('PUT', `/accounts/${account.id}`, { name: account.name, enabled: false });
      },
    },
    {
      title: 'And is back: activate it',
      causes: ['ACCOUNT_ACTIVATION_UPDATED'],
      async run() {
        await api.send('PUT', `/accounts/${account.id}`, { name: account.name, enabled: true });
      },
    },
    {
      title: 'The customer leaves: delete the account',
      causes: ['ACCOUNT_DELETED'],
      async run() {
        await api.send('DELETE', `/accounts/${account.id}`);
      },
    },
  ];
}
