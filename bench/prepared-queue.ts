import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { HOUR_MS } from '../src/time/units.ts';
import { EXAMPLE_LABEL, exampleMessage } from './example-message.ts';
import type { LineState } from './line-state.ts';
import type { PreparedFolder } from './prepared-folder.ts';

/** The messages that lines are filled with. */
export interface QueueFilling {
  /** In all lines together. */
  messages: number;
  state: LineState;
  targetUrl: string;
}

/** Longer than any measurement. */
export const BLOCKED_FOR_MS = HOUR_MS;
const CACHE_KIB = 65_536;

/** The number of messages in each line. */
export function roundsOf({ lineIds }: PreparedFolder, messages: number): number {
  return Math.ceil(messages / lineIds.length);
}

/**
 * Fills the lines of a folder with messages, one per line in turn, as events that match all of them would. A million
 * take ten seconds, because one statement creates them and nothing is synced before the end.
 */
export function fillQueue(folder: PreparedFolder, { messages, state, targetUrl }: QueueFilling): void {
  const { lineIds, otherIds } = folder;
  const rounds = roundsOf(folder, messages);
  const now = Date.now();
  const database = new DatabaseSync(folder.databaseFile);
  try {
    database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -${CACHE_KIB}`);
    database.exec('begin; create temp table filled (id integer primary key, body text not null)');
    const addLine = database.prepare('insert into temp.filled (id, body) values (?, ?)');
    for (const id of lineIds) addLine.run(id, exampleMessage({ id, target_url: targetUrl }));
    database
      .prepare(
        `with recursive round (n) as (select 1 union all select n + 1 from round where n < ?)
         insert into queue_messages (line_id, message_id, label, stored_body, enqueued_at)
         select filled.id, printf('019b0000-%04x-7%03x-8000-%012x', n >> 12, n & 4095, filled.id), ?, filled.body, ?
         from round cross join temp.filled`,
      )
      .run(rounds, EXAMPLE_LABEL, now);
    const putLine = database.prepare(
      `insert into queue_lines (line_id, pending, available_at, lease_token, receive_count) values (?, ?, ?, null, 0)`,
    );
    for (const id of lineIds) putLine.run(id, rounds, now);
    // They had messages once, as is usual for older webhooks.
    for (const id of otherIds) putLine.run(id, 0, null);
    database.exec('commit');
  } finally {
    database.close();
  }
  setLines(folder, state);
  syncFile(folder.databaseFile);
}

/** Makes the filled lines due or blocked. No service may be running on the folder. */
export function setLines(folder: PreparedFolder, state: LineState): void {
  const database = new DatabaseSync(folder.databaseFile);
  try {
    database
      .prepare(
        `update queue_lines set available_at = ?, receive_count = ?
         where pending > 0 and line_id in (select value from json_each(?))`,
      )
      .run(
        state === 'due' ? Date.now() : Date.now() + BLOCKED_FOR_MS,
        state === 'due' ? 0 : 1,
        JSON.stringify(folder.lineIds),
      );
  } finally {
    database.close();
  }
}

/** Otherwise, the system would write during the next measurement. */
function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The number of messages that a service on the folder has delivered. */
export function countDelivered(folder: PreparedFolder): number {
  const database = new DatabaseSync(folder.databaseFile, { readOnly: true });
  try {
    return Number(database.prepare('select count(*) as count from deliveries').get()?.count);
  } finally {
    database.close();
  }
}
