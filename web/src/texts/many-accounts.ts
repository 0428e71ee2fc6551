import { isolate } from '../utilities/isolate.ts';

/** Content of many accounts at once, and the accounts that have a piece of content. */
export const manyAccounts = {
  title: 'Accounts with access',
  description: 'Accounts that have it directly, or through something that contains it.',
  label: 'Accounts with access',
  empty: 'No account has it yet.',
  columns: { account: 'Account', through: 'Through', added: 'Added' },
  directly: 'Directly',
  contains: (names: string) => `contains ${names}`,
  inactive: 'Inactive',
  more: 'Show more',
  searchAccounts: 'Search accounts',
  accounts: 'Accounts',
  noAccounts: 'There are no accounts yet. Create one first.',
  noneChosen: 'Select accounts. Your selection is kept as you search and turn pages.',
  submit: (count: number) =>
    count === 0 ? 'Add' : count === 1 ? 'Add to 1 account' : `Add to ${count} accounts`,
  progress: (done: string, total: string) => `${done} of ${total} accounts done`,
  stopped: (done: string, total: string) => `Stopped: ${done} of ${total} accounts done.`,
  add: {
    action: 'Add to accounts…',
    content: 'Add content…',
    title: (name: string | null, count: number) =>
      name === null ? `Add ${count} items to accounts` : `Add ${isolate(name)} to accounts`,
    contentTitle: (count: number) => `Add content to ${count} accounts`,
    event: 'Triggers “Content added” for each account that does not have it yet.',
    done: (added: number, unchanged: number, accounts: number) => {
      const items =
        added === 0 ? 'Nothing was added' : added === 1 ? '1 item was added' : `${added} items were added`;
      const already =
        unchanged === 0
          ? ''
          : unchanged === 1
            ? '; 1 was already there'
            : `; ${unchanged} were already there`;
      return accounts === 1
        ? `${items}${already}.`
        : `${accounts} accounts: ${items.charAt(0).toLowerCase()}${items.slice(1)}${already}.`;
    },
  },
  remove: {
    action: 'Remove from accounts…',
    title: (name: string, count: number) =>
      count === 1
        ? `Remove ${isolate(name)} from 1 account?`
        : `Remove ${isolate(name)} from ${count} accounts?`,
    confirm: 'Remove',
    description:
      'The content itself is kept. Registrations are kept too, but cannot be launched unless the account still has the course through other content.',
    event: 'Triggers the event “Content removed” for each account that then no longer has the content.',
    indirect: (count: number) =>
      count === 1
        ? '1 selected account does not have it directly and keeps it.'
        : `${count} selected accounts do not have it directly and keep it.`,
    none: 'No selected account has it directly. Remove what contains it instead.',
    done: (changed: number, _unchanged: number, _accounts: number) =>
      changed === 1 ? 'Removed from 1 account.' : `Removed from ${changed} accounts.`,
  },
} as const;
