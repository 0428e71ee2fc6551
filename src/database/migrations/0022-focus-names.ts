import type { Migration } from './migration.ts';

/** Names of focuses are at most 200 characters long, as those of assets are; longer ones could not be sent back. */
export const focusNames: Migration = {
  number: 22,
  name: 'focus-names',
  statements: () => [
    'update webhook_focuses set focus_name = substr(focus_name, 1, 200) where length(focus_name) > 200',
  ],
};
