import type { Migration } from './migration.ts';

/** Limits the names of focuses to 200 characters, like those of assets. Longer names could not be sent back. */
export const focusNames: Migration = {
  number: 22,
  name: 'focus-names',
  statements: () => [
    'update webhook_focuses set focus_name = substr(focus_name, 1, 200) where length(focus_name) > 200',
  ],
};
