import type { Migration } from './migration.ts';

/**
 * API clients count their changes, so that one does not undo another that it has not seen, and are listed by name. The
 * key of names is that of the other lists.
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
