import { isolate } from '../utilities/isolate.ts';

/** The dialog that chooses content or accounts. */
export const contentDialog = {
  search: 'Search content',
  searchPlaceholder: 'Name or id',
  type: 'Type',
  types: {
    ACCOUNT: 'Account',
    COURSE: 'Course',
    EQUIVALENT: 'Equivalent',
    BUNDLE: 'Bundle',
    FOLDER: 'Folder',
  },
  all: 'All',
  results: 'Available content',
  id: (id: number) => `ID ${id}`,
  chosen: (count: number) => `${count} selected`,
  chosenLabel: 'Selected',
  noneChosen: 'Select what to add. Your selection is kept as you search and turn pages.',
  remove: (name: string) => `Deselect ${isolate(name)}`,
  chooseAll: 'Select all shown',
  added: 'Already added',
  current: 'Selected now',
  fieldOf: (label: string, value: string) => `${label}: ${isolate(value)}`,
  nothing: 'No results.',
  noContent: 'There is no content yet. Import a course first.',
  submit: (count: number) => (count === 0 ? 'Add' : count === 1 ? 'Add 1 item' : `Add ${count} items`),
  tooMany: (max: number) => `Select at most ${max}.`,
  nothingChosen: 'Select something first.',
} as const;
