import type { ContentType } from '../api/content-assets.ts';
import { isolate } from '../utilities/isolate.ts';
import { counted } from './counted.ts';
import { pageTitles } from './page-titles.ts';

/** Two or more of a kind. */
const many = (type: ContentType, count: number) =>
  `${count} ${{ COURSE: 'courses', EQUIVALENT: 'equivalents', BUNDLE: 'bundles', FOLDER: 'folders' }[type]}`;

/** Folders and the lists of their contents. */
export const content = {
  title: pageTitles.content,
  kinds: { courses: 'Courses', equivalents: 'Equivalents', bundles: 'Bundles' },
  kindTabs: 'Content types',
  standards: {
    SCORM_11: 'SCORM 1.1',
    SCORM_12: 'SCORM 1.2',
    SCORM_2004_2ND_EDITION: 'SCORM 2004 2nd Ed.',
    SCORM_2004_3RD_EDITION: 'SCORM 2004 3rd Ed.',
    SCORM_2004_4TH_EDITION: 'SCORM 2004 4th Ed.',
    AICC: 'AICC',
    XAPI: 'xAPI',
    CMI5: 'cmi5',
    UNKNOWN: 'Unknown',
  },
  upload: 'Upload courses',
  addEquivalent: 'Create equivalent',
  addBundle: 'Create bundle',
  dropHere: (folder: string) => `Drop course packages to upload them to “${isolate(folder)}”`,
  below: 'Include subfolders',
  searchIn: { courses: 'Search courses', equivalents: 'Search equivalents', bundles: 'Search bundles' },
  searching: (folder: string) => `Results from “${isolate(folder)}” and its subfolders.`,
  columns: {
    name: 'Name',
    standard: 'Standard',
    version: 'Version',
    updated: 'Updated',
    languages: 'Languages',
    contents: 'Contents',
    actions: 'Actions',
  },
  version: (version: number) => `Version ${version}`,
  newerVersion: (version: number) => `Version ${version} not published`,
  warnings: (count: number) => (count === 1 ? '1 warning' : `${count} warnings`),
  moveSelected: 'Move…',
  dragging: (type: ContentType, count: number) => (count === 1 ? '1 item' : many(type, count)),
  empty: {
    courses: {
      title: 'No courses in this folder',
      home: 'No courses yet',
      description:
        'Drop course packages here, or choose files: zip files of SCORM, AICC, cmi5 or xAPI courses.',
      viewer: 'No courses have been uploaded here yet.',
      below: (count: string) => `Its subfolders contain ${count}.`,
    },
    equivalents: {
      title: 'No equivalents in this folder',
      home: 'No equivalents yet',
      description: 'An equivalent is one course in several languages. It is added to accounts as one item.',
      viewer: 'An equivalent is one course in several languages. There are none here.',
      below: (count: string) => `Its subfolders contain ${count}.`,
    },
    bundles: {
      title: 'No bundles in this folder',
      home: 'No bundles yet',
      description: 'A bundle is a group of courses and equivalents that is added to accounts as one item.',
      viewer: 'A bundle is a group of courses and equivalents. There are none here.',
      below: (count: string) => `Its subfolders contain ${count}.`,
    },
  },
} as const;

/** The folder tree and its dialogs. */
export const folders = {
  title: 'Folders',
  open: 'Choose folder',
  path: 'Folder path',
  search: 'Find a folder',
  nothingFound: 'No results',
  truncated: (count: string) => `Only ${count} folders are shown here. You can open the others by their URL.`,
  count: (courses: number, equivalents: number, bundles: number) =>
    [
      counted(courses, 'course', 'courses'),
      ...(equivalents === 0 ? [] : [counted(equivalents, 'equivalent', 'equivalents')]),
      ...(bundles === 0 ? [] : [counted(bundles, 'bundle', 'bundles')]),
    ].join(', '),
  menu: (name: string) => `Actions for folder ${isolate(name)}`,
  name: 'Name',
  nameFaults: { required: 'Enter a name.', tooLong: 'Use at most 200 characters.' },
  create: {
    action: 'Create folder…',
    title: (parent: string) => `Create a folder in “${isolate(parent)}”`,
    submit: 'Create folder',
    done: (name: string) => `“${isolate(name)}” was created.`,
  },
  rename: {
    action: 'Rename…',
    title: (name: string) => `Rename “${isolate(name)}”`,
    submit: 'Rename',
    done: (name: string) => `Renamed to “${isolate(name)}”.`,
  },
  move: {
    action: 'Move…',
    title: (name: string) => `Move “${isolate(name)}”`,
    titleMany: (type: ContentType, count: number) => `Move ${many(type, count)}`,
    description: 'Choose a destination.',
    submit: 'Move here',
    submitTo: (folder: string) => `Move to “${isolate(folder)}”`,
    already: 'Already in this folder.',
    itself: 'A folder cannot be moved into itself or one of its subfolders.',
    done: (name: string, folder: string) => `“${isolate(name)}” was moved to “${isolate(folder)}”.`,
    doneMany: (type: ContentType, count: number, folder: string) =>
      `${many(type, count)} were moved to “${isolate(folder)}”.`,
    partly: (done: number, count: number, folder: string) =>
      `${done} of ${count} were moved to “${isolate(folder)}”.`,
    failures: 'These could not be moved:',
    failed: (count: number, name: string) =>
      count === 1 ? `“${isolate(name)}” was not moved` : `${count} were not moved`,
    undo: 'Undo',
    undone: 'Moved back.',
    progress: (done: number, count: number) => `Moving ${done} of ${count}…`,
  },
  conflict: {
    title: 'Someone else changed this in the meantime',
    now: (name: string, location: string) => `It is now called “${isolate(name)}” and is in ${location}.`,
    replaced: 'Saving your name replaces that.',
  },
  remove: {
    action: 'Delete…',
    title: (name: string) => `Delete “${isolate(name)}”?`,
    submit: 'Delete folder',
    description: 'The folder is empty. Deleting it cannot be undone.',
    done: (name: string) => `“${isolate(name)}” was deleted.`,
    notYet: (name: string) => `“${isolate(name)}” cannot be deleted yet`,
    holds: 'It is not empty. Move or delete its contents first:',
    heldBy: 'Accounts have this folder. Remove it from them first:',
    subfolders: (count: number) => counted(count, 'folder', 'folders'),
  },
  gone: {
    title: 'This folder no longer exists',
    description: 'It may have been deleted, or the URL may be wrong.',
    action: 'Go to Home',
  },
} as const;
