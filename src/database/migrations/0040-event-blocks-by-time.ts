import type { Migration } from './migration.ts';

/** Indexes of blocks of the event log by time, without their large keys: one entry each per 512 events. */
export const eventBlocksByTime: Migration = {
  number: 40,
  name: 'event-blocks-by-time',
  statements: () => [
    'create index event_blocks_by_first on event_blocks (first_at, last_id)',
    'create index event_blocks_by_last on event_blocks (last_at, last_id)',
  ],
};
