import type { Migration } from './migration.ts';

/**
 * Revisions of API clients, so that no one overwrites a change that they have not seen, and an index that lists clients
 * by name. The key of names is the same as in the other lists.
 */
export const clientRevisions: Migration = {
  number: 9,
  name: 'client-revisions',
  statements: ({ int }, dialect) => {
    const nameKey = dialect === 'sqlite' ? 'lower(name)' : 'lower(name collate "C")';
    return [
      `alter table api_clients add column revision ${int} not null default 1`,
      `create index api_clients_by_name on api_clients (${nameKey}, client_id)`,
    ];
  },
};
