import type { Subtopic } from '../../events/catalogue.ts';
import type { EventResources } from '../../events/event.ts';

const account = { id: 12, name: 'Northwind Training', enabled: true };
const course = {
  id: 7,
  name: 'Fire Safety Basics',
  version_id: 0,
  learning_standard: 'SCORM_2004_4TH_EDITION',
  location: 'Home > Safety',
};
const laterCourse = { ...course, version_id: 1 };
const registration = {
  account_id: 12,
  registration_id: '0d0c8c4e-7a55-4f6a-9a63-5d0e3a1f5c11',
  course_id: 7,
  learner_id: 'learner-4711',
};

/** Sample resources of each subtopic for test messages and the API description. Nothing in them exists. */
export const SAMPLE_RESOURCES: { readonly [S in Subtopic]: EventResources[S] } = {
  ACCOUNT_CREATED: { account },
  ACCOUNT_ACTIVATION_UPDATED: { account: { ...account, enabled: false } },
  ACCOUNT_DELETED: { account },
  CONTENT_ADDED_TO_ACCOUNT: {
    account,
    content: {
      folder: {
        id: 3,
        name: 'Safety',
        location: 'Home',
        contents: [{ type: 'EQUIVALENT', id: 5, name: 'Fire Safety Basics (all languages)' }],
      },
    },
  },
  CONTENT_REMOVED_FROM_ACCOUNT: {
    account,
    content: {
      folder: {
        id: 3,
        name: 'Safety',
        location: 'Home',
        contents: [{ type: 'BUNDLE', id: 9, name: 'Safety Week' }],
      },
      bundle: { id: 9, name: 'Safety Week', location: 'Home > Safety' },
    },
  },
  COURSE_IMPORTED: { content: { course } },
  COURSE_VERSION_UPLOADED: { content: { course: laterCourse } },
  COURSE_VERSION_PUBLISHED: { content: { course: laterCourse } },
  REGISTRATION_LAUNCHED: { account, content: { course: laterCourse }, registration },
  REGISTRATION_STATUS_UPDATED: {
    account,
    content: { course: laterCourse },
    registration: {
      ...registration,
      completion: 'Completed',
      success: 'PASS',
      score: 85,
      duration: 130,
      completion_dt: '2026-01-31T09:42:10.000Z',
    },
  },
};

/** Who caused the sample event of a subtopic: the learner of a launch, like a real one, otherwise the given user. */
export function sampleUser(subtopic: Subtopic, user: string): string {
  return subtopic === 'REGISTRATION_LAUNCHED' ? registration.learner_id : user;
}
