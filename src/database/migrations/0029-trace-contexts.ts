import type { Migration } from './migration.ts';

/** Where a message belongs in the trace of its event, as JSON of W3C header fields. */
export const traceContexts: Migration = {
  number: 29,
  name: 'trace-contexts',
  statements: () => ['alter table queue_messages add column trace_context text'],
};
