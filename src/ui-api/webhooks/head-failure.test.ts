import assert from 'node:assert/strict';
import { it } from 'node:test';
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

/** The history of all attempts but the newest one, which is the latest failed one. */
const reader = {
  all: async <T>(_sql: string, ...[, attempt]: unknown[]) => [{ attempted_at: Number(attempt) * 100 }] as T[],
};

for (const [what, head, attempts, since] of [
  ['counts the attempts since the message was queued last', { receiveCount: 3, inFlight: false }, 3, 700],
  ['does not count the attempt that is in flight', { receiveCount: 3, inFlight: true }, 2, 800],
  ['has failed once if its first attempt was lost', { receiveCount: 1, inFlight: true }, 1, 900],
] as const) {
  it(`the failure of a head ${what}`, async () => {
    const failure = await readHeadFailure(reader, head, FAILED);
    assert.deepEqual([failure.attempts, failure.since], [attempts, since]);
  });
}
