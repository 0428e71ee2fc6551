import { isolate } from '../utilities/isolate.ts';
import { counted } from './counted.ts';
import { pageTitles } from './page-titles.ts';
import { deletionOf } from './selection.ts';

/** A course: its versions and what uses it. */
export const courses = {
  one: pageTitles.course,
  facts: (id: number) => `Course ${id}`,
  changed: 'updated',
  uploadVersion: 'Upload new version',
  dropVersion: 'Drop a package to upload it as the next version',
  menu: 'Course actions',
  versions: {
    title: 'Versions',
    description: 'A registration gets the version that is published when it is created, and keeps it.',
    label: 'Versions',
    version: 'Version',
    standard: 'Standard',
    packageTitle: 'Title in the package',
    size: 'Size',
    uploaded: 'Uploaded',
    state: 'State',
    files: (count: number) => counted(count, 'file', 'files'),
    published: 'Published',
    newest: 'Not published',
    earlier: 'Previously published',
    preview: 'Preview',
    previewOf: (version: number) => `Preview version ${version}`,
    previewBlocked: 'The browser blocked the window. Allow pop-ups for this page and try again.',
    publish: 'Publish',
    publishOf: (version: number) => `Publish version ${version}`,
    warningsOf: (count: number, version: number) =>
      count === 1 ? `1 warning about version ${version}` : `${count} warnings about version ${version}`,
    showAll: (count: string) => `Show all ${count} versions`,
    bounded: 'Only the newest 1,000 versions are shown.',
  },
  publish: {
    title: (version: number) => `Publish version ${version}?`,
    description: (current: number, next: number) =>
      `New registrations get version ${next} instead of version ${current}. Existing registrations keep their version.`,
    older: 'This version is older than the published one.',
    webhooks: 'Triggers the event “Version published”.',
    standardChanges: (current: string, next: string) => `The standard changes: ${current} → ${next}`,
    warnings: 'Its package has warnings:',
    submit: (version: number) => `Publish version ${version}`,
    done: (version: number) => `Version ${version} is published.`,
  },
  usage: {
    title: 'Used by',
    description: 'Everything that directly contains or uses it. It cannot be deleted while it is in use.',
    accounts: 'Accounts',
    equivalents: 'Equivalents',
    bundles: 'Bundles',
    registrations: 'Registrations',
    nobody: 'Not used yet.',
    more: (count: string) => `and ${count} more`,
    registrationsOf: (count: number, isMore: boolean) =>
      counted(count, 'registration', 'registrations', isMore),
  },
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete “${isolate(name)}”?`,
    course: {
      submit: 'Delete course',
      description: 'All its versions and their files are deleted. This cannot be undone.',
    },
    equivalent: {
      submit: 'Delete equivalent',
      description: 'Its courses are kept. This cannot be undone.',
    },
    bundle: {
      submit: 'Delete bundle',
      description: 'Its contents are kept. This cannot be undone.',
    },
    done: (name: string) => `“${isolate(name)}” was deleted.`,
    notYet: (name: string) => `“${isolate(name)}” cannot be deleted yet`,
    inUse: (byContent: boolean, byLearners: boolean) =>
      !byLearners
        ? 'It is in use. Remove it from these first:'
        : byContent
          ? 'It is in use. Remove it from these and delete its registrations first:'
          : 'Learners are registered for it. Delete their registrations first:',
    checking: 'Checking what uses it…',
    many: {
      words: {
        COURSE: deletionOf('course', 'courses'),
        EQUIVALENT: deletionOf('equivalent', 'equivalents'),
        BUNDLE: deletionOf('bundle', 'bundles'),
      },
      description: {
        COURSE: 'All their versions and files are also deleted. This cannot be undone.',
        EQUIVALENT: 'Their courses are kept. This cannot be undone.',
        BUNDLE: 'Their contents are kept. This cannot be undone.',
      },
      held: 'Those that are in use are not deleted. They are listed afterwards, with what uses them.',
    },
  },
  gone: {
    title: 'This no longer exists',
    description: 'It may have been deleted, or the URL may be wrong.',
    action: 'Go to Content',
  },
} as const;
