import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openSqliteFile } from '../../../test/support/sqlite-file.ts';
import { readHeadFailure } from './head-failure.ts';

/** The latest attempt of a history that includes earlier redeliveries. */
const FAILED = {
  id: 7,
  attempts: 9,
  attempted_at: 900,
  error: null,
  response_status: 500,
  response_body: null,
};

/** The kept attempts before the latest one. The others are lost, or of another delivery. */
const KEPT = [
  [FAILED.id - 1, 8],
  [FAILED.id, 5],
  [FAILED.id, 7],
  [FAILED.id, 8],
] as const;

for (const [what, head, attempts, since] of [
  ['are those since it was queued last', { receiveCount: 3, inFlight: false }, 3, 700],
  ['do not include the one in flight', { receiveCount: 3, inFlight: true }, 2, 800],
  ['have begun with the first one that is kept', { receiveCount: 4, inFlight: false }, 4, 700],
  ['are at least one, even if the only one is in flight', { receiveCount: 1, inFlight: true }, 1, 900],
] as const) {
  it(`the failed attempts of the first waiting message ${what}`, async () => {
    await using test = await openSqliteFile();
    const { database } = test;
    const columns = ['delivery_id', 'attempt', 'attempted_at', 'duration_ms'];
    const rows = KEPT.map(([id, attempt]) => [id, attempt, attempt * 100, 1]);
    await database.transaction((tx) => tx.insertMany('delivery_attempts', columns, rows));
    const failure = await readHeadFailure(database.reader, head, FAILED);
    assert.deepEqual([failure.attempts, failure.since], [attempts, since]);
  });
}
