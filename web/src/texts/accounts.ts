import { isolate } from '../utilities/isolate.ts';

/** Accounts, and what they are given. */
export const accounts = {
  title: 'Accounts',
  one: 'Account',
  description:
    'Customers, branches or departments: each is given content, and its learners are registered to it.',
  label: 'Accounts',
  search: 'Search by name or id',
  columns: {
    name: 'Name',
    state: 'State',
    contents: 'Content',
    updated: 'Changed',
    created: 'Created',
  },
  stateFilter: 'State',
  states: { active: 'Active', inactive: 'Inactive' },
  actionsOf: (name: string) => `Actions for ${isolate(name)}`,
  name: 'Name',
  id: (id: number) => `#${id}`,
  changed: 'changed',
  created: (name: string) => `${isolate(name)} was created.`,
  empty: {
    title: 'No accounts yet',
    description:
      'An account stands for a customer, a branch or a department. It is given courses, and learners are registered to them.',
    viewer: 'An administrator has not made one yet.',
  },
  create: {
    action: 'Create account',
    first: 'Create the first account',
    enabled: 'Active',
    enabledDescription: 'Its learners can be registered and launch courses.',
    event: 'Causes the event “Account created”.',
  },
  rename: {
    action: 'Rename…',
    title: (name: string) => `Rename ${isolate(name)}`,
    event: 'Causes no event. Messages from now on carry the new name.',
    done: (name: string) => `It is called ${isolate(name)} now.`,
    conflict: (name: string) =>
      `Someone else changed this account meanwhile. It is called “${isolate(name)}” now.`,
    conflictAdvice: 'Save again to have your name nevertheless.',
  },
  activate: {
    action: 'Activate…',
    title: (name: string) => `Activate ${isolate(name)}?`,
    description: 'Its learners can be registered and launch courses again.',
    confirm: 'Activate',
    done: (name: string) => `${isolate(name)} is active.`,
  },
  deactivate: {
    action: 'Deactivate…',
    title: (name: string) => `Deactivate ${isolate(name)}?`,
    description:
      'No learner can be registered, and no launch link made, until it is activated again. Links given out before work until they expire. Content and results stay.',
    confirm: 'Deactivate',
    done: (name: string) => `${isolate(name)} is inactive.`,
  },
  activationEvent: 'Causes the event “Activation updated”.',
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete ${isolate(name)}?`,
    confirm: 'Delete account',
    goes: 'What goes with it, without events of its own:',
    contents: (count: string, one: boolean) =>
      one
        ? 'the assignment of 1 asset (the asset itself stays)'
        : `the assignment of ${count} assets (the assets themselves stay)`,
    registrations: (count: string, one: boolean) =>
      one ? '1 registration with its results' : `${count} registrations with their results`,
    nothing: 'It holds no content and no registrations.',
    counting: 'Counting what goes with it…',
    uncounted: 'Its content and registrations, with their results, go with it.',
    event: 'Causes the event “Account deleted”. This cannot be undone.',
    done: (name: string) => `${isolate(name)} was deleted.`,
  },
  checks: {
    name: 'Give it a name',
    length: (max: number) => `At most ${max} characters`,
  },
  missing: {
    title: 'There is no such account',
    description: 'It was deleted, or the address has a mistake.',
    action: 'All accounts',
  },
  tabs: { label: 'Parts of the account', content: 'Content', registrations: 'Registrations' },
  inactiveNote: 'This account is inactive: no learner can be registered, and no launch link made.',
  contents: {
    label: 'Content of this account',
    search: 'Search by name or id',
    columns: { name: 'Name', type: 'Type', location: 'Folder', added: 'Added' },
    type: 'Type',
    types: { COURSE: 'Course', EQUIVALENT: 'Equivalent', BUNDLE: 'Bundle', FOLDER: 'Folder' },
    select: 'Choose',
    choose: (name: string) => `Choose ${isolate(name)}`,
    chooseAll: 'Choose all on this page',
    chooseNone: 'Choose none',
    empty: {
      title: 'No content yet',
      description:
        'Give this account courses, equivalents, bundles, or whole folders. Its learners can then be registered to the courses in them.',
      viewer: 'This account was not given any content.',
    },
    add: {
      action: 'Add content',
      title: (name: string) => `Add content to ${isolate(name)}`,
      search: 'Search content',
      searchPlaceholder: 'Name or id',
      types: 'Type',
      all: 'All',
      results: 'Content to choose from',
      chosen: (count: number) => (count === 1 ? '1 chosen' : `${count} chosen`),
      chosenLabel: 'Chosen',
      noneChosen: 'Choose what to add. What is chosen stays through searches and pages.',
      remove: (name: string) => `Do not add ${isolate(name)}`,
      chooseAll: 'Choose all shown',
      held: 'This account has it already',
      nothing: 'Nothing of that name.',
      noContent: 'There is no content yet. Import a course first.',
      folder:
        'A folder stands for everything in it and below, also for what is put there later; no event tells of that later content.',
      event:
        'Causes “Content added” for what the account does not have yet: one event a folder that the assets stand in.',
      submit: (count: number) => (count === 0 ? 'Add' : count === 1 ? 'Add 1 asset' : `Add ${count} assets`),
      tooMany: (max: number) => `At most ${max} at once.`,
      nothingChosen: 'Choose something first.',
      done: (added: number, unchanged: number) =>
        [
          added === 0
            ? 'Nothing was added'
            : added === 1
              ? '1 asset was added'
              : `${added} assets were added`,
          unchanged === 0 ? '' : unchanged === 1 ? '1 was there already' : `${unchanged} were there already`,
        ]
          .filter((part) => part !== '')
          .join('; ')
          .concat('.'),
    },
    remove: {
      action: (count: number) => `Remove ${count}…`,
      one: (name: string) => `Remove ${isolate(name)}`,
      title: (name: string, count: number) =>
        count === 1 ? `Remove ${isolate(name)}?` : `Remove ${count} assets?`,
      description:
        'The assets themselves stay. Registrations stay too, but cannot be launched while the account does not hold their course in another way.',
      event:
        'Causes the event “Content removed”; for a folder one for it and for each below it that has content.',
      confirm: 'Remove',
      done: (count: number) => (count === 1 ? '1 asset was removed.' : `${count} assets were removed.`),
      more: (count: number) => `and ${count} more`,
      progress: (done: number, total: number) => `${done} of ${total} removed`,
    },
  },
} as const;
