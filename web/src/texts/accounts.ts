import { isolate } from '../utilities/isolate.ts';
import { counted } from './counted.ts';
import { pageTitles } from './page-titles.ts';
import { deletionOf } from './selection.ts';

/** Accounts and their content. */
export const accounts = {
  title: pageTitles.accounts,
  one: pageTitles.account,
  description:
    'Customers, branches or departments. Each account has its own content and its own registered learners.',
  label: 'Accounts',
  search: 'Search by name or id',
  columns: {
    name: 'Name',
    state: 'State',
    contents: 'Content',
    updated: 'Updated',
    created: 'Created',
  },
  stateFilter: 'State',
  states: { active: 'Active', inactive: 'Inactive' },
  actionsOf: (name: string) => `Actions for ${isolate(name)}`,
  name: 'Name',
  id: (id: number) => `#${id}`,
  changed: 'updated',
  created: (name: string) => `${isolate(name)} was created.`,
  empty: {
    title: 'No accounts yet',
    description:
      'An account represents a customer, a branch or a department. Add courses to it, then register learners.',
    viewer: 'No administrator has created one yet.',
  },
  create: {
    action: 'Create account',
    first: 'Create the first account',
    enabled: 'Active',
    enabledDescription: 'Learners can be registered and can launch courses.',
    event: 'Triggers the event “Account created”.',
  },
  rename: {
    action: 'Rename…',
    title: (name: string) => `Rename ${isolate(name)}`,
    event: 'Triggers no event. Messages sent from now on use the new name.',
    done: (name: string) => `Renamed to ${isolate(name)}.`,
    conflict: (name: string) =>
      `Someone else changed this account in the meantime. It is now called “${isolate(name)}”.`,
    conflictAdvice: 'Save again to replace it with your name.',
  },
  activate: {
    action: 'Activate…',
    title: (name: string) => `Activate ${isolate(name)}?`,
    description: 'Learners can be registered and can launch courses again.',
    confirm: 'Activate',
    done: (name: string) => `${isolate(name)} is active.`,
  },
  deactivate: {
    action: 'Deactivate…',
    title: (name: string) => `Deactivate ${isolate(name)}?`,
    description:
      'Until you activate it again, no learners can be registered and no launch links created. Existing links work until they expire. Content and results are kept.',
    confirm: 'Deactivate',
    done: (name: string) => `${isolate(name)} is inactive.`,
  },
  activationEvent: 'Triggers the event “Activation updated”.',
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete ${isolate(name)}?`,
    confirm: 'Delete account',
    goes: 'Also deleted, without further events:',
    contents: (count: number) =>
      `access to ${counted(count, 'item', 'items')} of content (the content itself is kept)`,
    registrations: (count: number, isMore: boolean) =>
      counted(count, 'registration and its results', 'registrations and their results', isMore),
    nothing: 'It has no content and no registrations.',
    counting: 'Counting what else will be deleted…',
    uncounted: 'Access to content and registrations, with their results, are also deleted.',
    event: 'Triggers the event “Account deleted”. This cannot be undone.',
    many: deletionOf('account', 'accounts'),
    manyNothing: 'They have no content and no registrations.',
    manyEvent: 'Triggers the event “Account deleted” for each of them. This cannot be undone.',
    done: (name: string) => `${isolate(name)} was deleted.`,
  },
  checks: {
    name: { required: 'Enter a name', tooLong: 'Use at most 200 characters' },
  },
  missing: {
    title: 'Account not found',
    description: 'It may have been deleted, or the URL may be wrong.',
    action: 'All accounts',
  },
  tabs: {
    label: 'Account sections',
    content: 'Content',
    registrations: 'Registrations',
    events: 'Events',
    changes: 'Changes',
  },
  inactiveNote: 'This account is inactive: no learners can be registered and no launch links created.',
  contents: {
    label: 'Content of this account',
    search: 'Search by name or id',
    columns: { name: 'Name', type: 'Type', location: 'Folder', added: 'Added' },
    type: 'Type',
    types: { COURSE: 'Course', EQUIVALENT: 'Equivalent', BUNDLE: 'Bundle', FOLDER: 'Folder' },
    empty: {
      title: 'No content yet',
      description:
        'Add courses, equivalents, bundles or whole folders to this account. Its learners can then be registered to their courses.',
      viewer: 'No content has been added to this account.',
    },
    add: {
      action: 'Add content',
      title: (name: string) => `Add content to ${isolate(name)}`,
      folder:
        'Adding a folder adds everything in it and below, including content that is added there later. Content that is added later triggers no event.',
      event:
        'Triggers “Content added” for content that the account does not have yet: one event for each folder that contains some of it.',
    },
    remove: {
      action: (count: number) => `Remove ${count}…`,
      description:
        'The content itself is kept. Registrations are kept too, but cannot be launched unless the account still has the course through other content.',
      event:
        'Triggers the event “Content removed” for content that the account no longer has: one event for each folder that contains some of it.',
      words: {
        title: (count: number, name: string | null) =>
          name === null ? `Remove ${counted(count, 'item', 'items')}?` : `Remove ${isolate(name)}?`,
        confirm: () => 'Remove',
        progress: (done: string, total: string) => `${done} of ${total} removed`,
        done: (count: number) => counted(count, 'item was removed.', 'items were removed.'),
        stopped: (done: string, left: string) => `Stopped: ${done} removed, ${left} left.`,
        failed: (count: number) =>
          counted(count, 'item could not be removed:', 'items could not be removed:'),
      },
    },
  },
} as const;
