import { isolate } from '../utilities/isolate.ts';

/** One course: its versions, and who uses it. */
export const courses = {
  one: 'Course',
  facts: (id: number) => `Course ${id}`,
  changed: 'changed',
  uploadVersion: 'Upload new version',
  dropVersion: 'Drop a package to upload it as the next version',
  menu: 'Course actions',
  versions: {
    title: 'Versions',
    description: 'Learners who register get the published version and keep it.',
    label: 'Versions',
    version: 'Version',
    standard: 'Standard',
    packageTitle: 'Title in the package',
    size: 'Size',
    uploaded: 'Uploaded',
    state: 'State',
    files: (count: string, one: boolean) => (one ? '1 file' : `${count} files`),
    published: 'Published',
    newest: 'Not published',
    earlier: 'Earlier',
    publish: 'Publish',
    publishOf: (version: number) => `Publish version ${version}`,
    warningsOf: (count: number, version: number) =>
      count === 1 ? `1 warning of version ${version}` : `${count} warnings of version ${version}`,
    showAll: (count: string) => `Show all ${count} versions`,
    bounded: 'Of more than 1,000 versions the newest 1,000 are shown.',
  },
  publish: {
    title: (version: number) => `Publish version ${version}?`,
    description: (present: number, next: number) =>
      `Learners who are registered from now on get version ${next} instead of version ${present}. Existing registrations keep the version that they were made for.`,
    older: 'This is an earlier version than the published one.',
    webhooks: 'Webhooks that follow published versions are told.',
    standardChanges: (present: string, next: string) => `The standard changes: ${present} → ${next}`,
    warnings: 'Its package has warnings:',
    submit: (version: number) => `Publish version ${version}`,
    done: (version: number) => `Version ${version} is published.`,
  },
  usage: {
    title: 'Used by',
    description: 'What holds it directly. While anything does, it cannot be deleted.',
    accounts: 'Accounts',
    equivalents: 'Equivalents',
    bundles: 'Bundles',
    registrations: 'Registrations',
    nobody: 'Nothing uses it yet.',
    more: (count: string) => `and ${count} more`,
    registrationsOf: (count: string, one: boolean) => (one ? '1 registration' : `${count} registrations`),
  },
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete “${isolate(name)}”?`,
    course: {
      submit: 'Delete course',
      description: 'All its versions are deleted with their files. This cannot be undone.',
    },
    equivalent: {
      submit: 'Delete equivalent',
      description: 'Its courses stay. This cannot be undone.',
    },
    bundle: {
      submit: 'Delete bundle',
      description: 'What it holds stays. This cannot be undone.',
    },
    done: (name: string) => `“${isolate(name)}” was deleted.`,
    notYet: (name: string) => `“${isolate(name)}” cannot be deleted yet`,
    held: 'It is in use. Take it out of these first:',
    checking: 'Looking up what uses it…',
  },
  gone: {
    title: 'This no longer exists',
    description: 'Someone may have deleted it, or the address has a mistake.',
    action: 'Go to Content',
  },
} as const;
