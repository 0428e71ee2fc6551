import type { Subtopic } from '../src/events/catalogue.ts';
import type { ApiClient } from './api-client.ts';
import { zipCourse } from './course-package.ts';
import type { Learner } from './learner.ts';
import { CLIENT_EMAIL, type Occurrence } from './occurrence.ts';
import type { DemoAccount } from './targets.ts';

/** The account that exists before the first step and is kept. */
export const CUSTOMER = 'Contoso';
const NEW_CUSTOMER = 'Northwind Traders';
export const LEARNER = 'ada';

/** Something that the demo does, and the events that it triggers. */
export interface Step {
  readonly title: string;
  readonly causes: readonly Occurrence[];
  run(): Promise<void>;
}

/** Dependencies of the steps. */
export interface WalkOptions {
  readonly api: ApiClient;
  readonly customer: DemoAccount;
  /** Shows useful members of a response. */
  readonly showFacts: (facts: Readonly<Record<string, string>>) => void;
  readonly learner: Learner;
}

interface Made {
  readonly id: number;
}

interface MadeCourse extends Made {
  readonly version_id: number;
}

/**
 * The steps that trigger all events of the service. Each step depends on those before it. To show another event, add a step
 * that triggers it and, if no target has its topic yet, a target.
 */
export function walk({ api, customer, showFacts, learner }: WalkOptions): Step[] {
  const account = { id: 0, name: NEW_CUSTOMER };
  const folder = { id: 0, name: 'Onboarding' };
  const course = { id: 0, version: 0 };
  const equivalent = { id: 0, name: 'Webhooks (all languages)' };
  const bundle = { id: 0, name: 'First Day' };
  const registration = { id: '', launchUrl: '' };

  return [
    {
      title: 'A new customer: create an account',
      causes: [causedByClient('ACCOUNT_CREATED', NEW_CUSTOMER)],
      async run() {
        account.id = (await api.send<Made>('POST', '/accounts', { name: account.name })).id;
      },
    },
    {
      title: 'Create a folder for courses',
      causes: [],
      async run() {
        folder.id = (await api.send<Made>('POST', '/folders', { name: folder.name })).id;
      },
    },
    {
      title: 'Import a course, a SCORM 1.2 package',
      causes: [causedByClient('COURSE_IMPORTED')],
      async run() {
        const fields = { folder_id: String(folder.id) };
        course.id = (await api.upload<Made>('/courses', await zipCourse('scorm-1.2'), fields)).id;
      },
    },
    {
      title: 'Upload a second version, now in SCORM 2004',
      causes: [causedByClient('COURSE_VERSION_UPLOADED')],
      async run() {
        const path = `/courses/${course.id}/versions`;
        course.version = (await api.upload<MadeCourse>(path, await zipCourse('scorm-2004'))).version_id;
      },
    },
    {
      title: 'Publish it: learners get the new version',
      causes: [causedByClient('COURSE_VERSION_PUBLISHED')],
      async run() {
        await api.send('POST', `/courses/${course.id}/versions/${course.version}/publish`);
      },
    },
    {
      title: 'Create an equivalent (one course per language) and a bundle of it; neither triggers an event',
      causes: [],
      async run() {
        const place = { folder_id: folder.id };
        const courses = [{ course_id: course.id, language: 'en' }];
        const { name } = equivalent;
        equivalent.id = (await api.send<Made>('POST', '/equivalents', { name, ...place, courses })).id;
        const contents = [{ type: 'EQUIVALENT', id: equivalent.id }];
        bundle.id = (await api.send<Made>('POST', '/bundles', { name: bundle.name, ...place, contents })).id;
      },
    },
    {
      title: `Add the bundle to ${NEW_CUSTOMER}: the focus of Portal is ${CUSTOMER}, so no message is sent`,
      causes: [causedByClient('CONTENT_ADDED_TO_ACCOUNT', NEW_CUSTOMER)],
      async run() {
        await api.send('POST', `/accounts/${account.id}/content`, {
          contents: [{ type: 'BUNDLE', id: bundle.id }],
        });
      },
    },
    {
      title: `Add the equivalent to ${CUSTOMER}`,
      causes: [causedByClient('CONTENT_ADDED_TO_ACCOUNT', CUSTOMER)],
      async run() {
        await api.send('POST', `/accounts/${customer.id}/content`, {
          contents: [{ type: 'EQUIVALENT', id: equivalent.id }],
        });
      },
    },
    {
      title: 'Add the bundle, too',
      causes: [causedByClient('CONTENT_ADDED_TO_ACCOUNT', CUSTOMER)],
      async run() {
        await api.send('POST', `/accounts/${customer.id}/content`, {
          contents: [{ type: 'BUNDLE', id: bundle.id }],
        });
      },
    },
    {
      title: 'Remove the bundle',
      causes: [causedByClient('CONTENT_REMOVED_FROM_ACCOUNT', CUSTOMER)],
      async run() {
        await api.send('DELETE', `/accounts/${customer.id}/content/BUNDLE/${bundle.id}`);
      },
    },
    {
      title: 'Register a learner for the course, which triggers no event',
      causes: [],
      async run() {
        const input = { account_id: customer.id, course_id: course.id, learner_id: LEARNER };
        const made = await api.send<{ registration_id: string }>('POST', '/registrations', input);
        registration.id = made.registration_id;
      },
    },
    {
      title: 'Launch it: the response has a signed launch_url, which expires',
      causes: [causedByLearner('REGISTRATION_LAUNCHED')],
      async run() {
        const path = `/registrations/${registration.id}/launch`;
        const { launch_url } = await api.send<{ launch_url: string }>('POST', path);
        registration.launchUrl = launch_url;
        showFacts({ launch_url });
      },
    },
    {
      title: `The learner opens the link and begins the course, ${learner.way}`,
      causes: [causedByLearner('REGISTRATION_STATUS_UPDATED')],
      async run() {
        await learner.begin(registration.launchUrl);
      },
    },
    {
      title: 'The learner passes the quiz',
      causes: [causedByLearner('REGISTRATION_STATUS_UPDATED')],
      async run() {
        await learner.pass();
      },
    },
    {
      title: 'Deactivate the account of the new customer',
      causes: [causedByClient('ACCOUNT_ACTIVATION_UPDATED', NEW_CUSTOMER)],
      async run() {
        await api.send('PUT', `/accounts/${account.id}`, { name: account.name, enabled: false });
      },
    },
    {
      title: 'Activate it again',
      causes: [causedByClient('ACCOUNT_ACTIVATION_UPDATED', NEW_CUSTOMER)],
      async run() {
        await api.send('PUT', `/accounts/${account.id}`, { name: account.name, enabled: true });
      },
    },
    {
      title: 'Delete the account',
      causes: [causedByClient('ACCOUNT_DELETED', NEW_CUSTOMER)],
      async run() {
        await api.send('DELETE', `/accounts/${account.id}`);
      },
    },
  ];
}

function causedByClient(subtopic: Subtopic, account: string | null = null): Occurrence {
  return { subtopic, account, user: CLIENT_EMAIL };
}

function causedByLearner(subtopic: Subtopic): Occurrence {
  return { subtopic, account: CUSTOMER, user: LEARNER };
}
