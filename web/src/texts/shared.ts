import { isolate } from '../utilities/isolate.ts';
import { counted } from './counted.ts';

/** Texts that several areas use. */
export const shared = {
  product: 'Coursewire',
  loading: 'Loading…',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  stop: 'Stop',
  continue: 'Continue',
  delete: 'Delete',
  edit: 'Edit',
  add: 'Add',
  back: 'Back',
  tryAgain: 'Try again',
  actions: 'Actions',
  active: 'Active',
  inactive: 'Inactive',
  never: 'Never',
  none: 'None',
  you: 'You',
  showPassword: 'Show or hide password',
  copy: {
    copy: 'Copy',
    copied: 'Copied',
    failed: 'The browser does not allow copying here. Select the text and copy it yourself.',
  },
  confirm: {
    type: (name: string) => `Type “${isolate(name)}” to confirm`,
    mismatch: 'The name does not match.',
  },
  incompleteTime: 'Enter a whole date and time, with a year of four digits',
  secret: {
    once: 'This is shown only once. Copy it now to where you need it.',
    done: 'I have copied it',
    leaving: {
      title: 'Leave without copying?',
      description: 'It cannot be shown again.',
    },
    making: {
      title: 'Leave now?',
      description: 'What you requested is still being created. It is shown only once.',
    },
  },
  table: {
    search: 'Search',
    searching: 'Searching…',
    clearSearch: 'Clear search',
    sortBy: 'Sort by',
    ascending: 'Ascending',
    descending: 'Descending',
    range: (from: string, to: string, total: string) => `${from}–${to} of ${total}`,
    atLeast: (total: string) => `more than ${total}`,
    pages: 'Pages',
    page: (page: number) => `Page ${page}`,
    previous: 'Previous page',
    next: 'Next page',
    perPage: 'Rows per page',
    rows: (count: number) => `${count} per page`,
    filters: 'Filters',
    updating: 'Updating',
    results: (total: number, isMore: boolean) => counted(total, 'result', 'results', isMore),
    all: 'All',
    beyond: {
      title: 'This page does not exist',
      description: 'The list has fewer pages than the page number in this URL.',
      action: 'Go to the first page',
    },
    bound: (total: string) => `Only the first ${total} are listed. Search or filter to find others.`,
  },
  export: {
    action: 'Export CSV',
    running: (count: string) => `Stop exporting (${count} rows so far)`,
    bound: (count: string) =>
      `The list is longer: only its first ${count} rows were exported. Search or filter to export others.`,
  },
  nothingFound: {
    title: 'No results',
    description: 'Nothing matches your search and filters.',
    partial:
      'Nothing found so far, but not everything could be searched. Search for something more specific.',
    action: 'Clear search and filters',
  },
  assets: {
    remove: (name: string) => `Remove ${isolate(name)}`,
    missing: (id: number) => `${id} (does not exist)`,
    types: {
      ACCOUNT: 'Account',
      COURSE: 'Course',
      EQUIVALENT: 'Equivalent',
      BUNDLE: 'Bundle',
      FOLDER: 'Folder',
    },
  },
  discard: {
    title: 'Close without saving?',
    description: 'Your changes will be lost.',
    keep: 'Keep editing',
    confirm: 'Discard',
  },
  unsaved: {
    title: 'Leave without saving?',
    description: 'Your changes on this page will be lost.',
    leave: 'Leave',
    stay: 'Stay',
  },
  running: {
    title: 'Leave while this is running?',
    description: 'If you leave, it stops after the current step, and the rest is not done.',
  },
} as const;
