import { isolate } from '../utilities/isolate.ts';
import { pageTitles } from './page-titles.ts';
import { deletionOf } from './selection.ts';

/** Webhooks: texts of all their pages, and the list. */
export const webhooks = {
  title: pageTitles.webhooks,
  one: pageTitles.webhook,
  description: 'A webhook notifies one of your systems of events, in order, as they occur.',
  add: 'Create webhook',
  topics: {
    ACCOUNT: { name: 'Accounts', description: 'Accounts are created, activated, deactivated or deleted.' },
    ACCOUNT_CONTENT: {
      name: 'Account content',
      description: 'Courses, equivalents or bundles are added to an account or removed from it.',
    },
    COURSE: {
      name: 'Courses',
      description: 'Courses are imported, and new versions are uploaded and published.',
    },
    REGISTRATION: {
      name: 'Registrations',
      description: 'Learners get their first launch link, or their completion, success or score changes.',
    },
  },
  subtopics: {
    ACCOUNT_CREATED: { name: 'Account created', description: 'A new account is created.' },
    ACCOUNT_ACTIVATION_UPDATED: {
      name: 'Activation updated',
      description: 'An account is activated or deactivated.',
    },
    ACCOUNT_DELETED: { name: 'Account deleted', description: 'An account is deleted.' },
    CONTENT_ADDED_TO_ACCOUNT: {
      name: 'Content added',
      description: 'A course, equivalent or bundle is added to an account.',
    },
    CONTENT_REMOVED_FROM_ACCOUNT: {
      name: 'Content removed',
      description: 'A course, equivalent or bundle is removed from an account.',
    },
    COURSE_IMPORTED: {
      name: 'Course imported',
      description: 'A new course is imported.',
    },
    COURSE_VERSION_UPLOADED: {
      name: 'Version uploaded',
      description: 'A new version of a course is uploaded.',
    },
    COURSE_VERSION_PUBLISHED: {
      name: 'Version published',
      description: 'A version of a course is published.',
    },
    REGISTRATION_LAUNCHED: {
      name: 'Registration launched',
      description: 'The first launch link of a registration is requested.',
    },
    REGISTRATION_STATUS_UPDATED: {
      name: 'Status updated',
      description: 'The completion, success or score of a registration changes.',
    },
  },
  allEvents: 'All events',
  events: (count: number) => (count === 1 ? '1 event' : `${count} events`),
  focused: (count: number) => (count === 1 ? '1 focus' : `${count} focuses`),
  readOnly: 'Read Only',
  states: { inError: 'In error', active: 'Active', paused: 'Paused', inactive: 'Inactive' },
  list: {
    label: 'Webhooks',
    search: 'Search by name or id',
    columns: {
      name: 'Name',
      topic: 'Topic',
      target: 'Target',
      active: 'Active',
      successes: 'Successes',
      rate: (rate: string) => `${rate} in 24 h`,
      failures: 'Failures',
      lastActivity: 'Last activity',
      depth: 'Waiting',
      created: 'Created',
    },
    topic: 'Topic',
    state: 'State',
    states: {
      active: 'Active',
      paused: 'Paused',
      inactive: 'Inactive',
      in_error: 'In error',
      blocked: 'Blocked',
    },
    actions: 'Actions',
    alert: (name: string, message: string) => `${isolate(name)} is in error. ${message}`,
    noMessage: 'The last attempt failed.',
    since: 'Since',
    activeSwitch: (name: string) => `Active: ${isolate(name)}`,
    actionsOf: (name: string) => `Actions for ${isolate(name)}`,
    open: 'Open',
    enabled: (name: string) => `${isolate(name)} is active.`,
    disabled: (name: string) => `${isolate(name)} is inactive.`,
    activateAgain: 'Activate again',
    paused: (name: string) => `${isolate(name)} is paused.`,
    resumed: (name: string) => `${isolate(name)} is resumed.`,
    empty: {
      title: 'No webhooks yet',
      description:
        'A webhook sends a message to your URL whenever a matching event occurs, such as an account being created or a registration being completed.',
      action: 'Create your first webhook',
    },
  },
  toggle: {
    enable: 'Activate',
    disable: 'Deactivate…',
    disableConfirm: 'Deactivate',
    title: (name: string) => `Deactivate ${isolate(name)}?`,
    discards: (count: string) => `Its waiting messages (${count}) will be discarded.`,
    discardsAny: 'Its waiting messages will be discarded.',
    loses:
      'Events that occur while it is inactive create no messages. They are sent only if someone replays them.',
    pauseInstead:
      'To stop sending without losing events, pause it instead: messages are queued until you resume it.',
    pause: 'Pause',
    resume: 'Resume',
  },
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete ${isolate(name)}?`,
    confirm: 'Delete webhook',
    many: deletionOf('webhook', 'webhooks'),
    manyDescription: 'Nothing more is sent to their targets, not even dead letters. This cannot be undone.',
    manyWaiting: (count: string) => `Their waiting messages (${count}) will be discarded.`,
    manyWaitingSince: (count: string) =>
      `All their waiting messages will be discarded: ${count} when they were last shown, and any that have arrived since.`,
    description: 'Nothing more is sent to its target, not even dead letters. This cannot be undone.',
    waiting: (count: string) => `Its waiting messages (${count}) will be discarded.`,
    done: (name: string) => `${isolate(name)} was deleted.`,
  },
} as const;
