import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readUndelivered } from './undelivered-messages.ts';

const EVENTS = [{ id: 7, occurredAt: 1_000, sharedId: null, matched: [3] }];

/** Reads what was not delivered of one event, while the database fails like this. */
const readWhile = (error: Error) =>
  readUndelivered({ dialect: 'postgres', all: () => Promise.reject(error) }, EVENTS);

it('an event is shown although its messages are on a damaged page', async () => {
  const found = await readWhile(Object.assign(new Error('invalid page'), { code: 'XX001' }));
  assert.deepEqual([...found], [[7, { hasDeadLetters: false, hasWaiting: false }]]);
});

it('events are not shown as delivered while the database cannot say so', async () => {
  const error = Object.assign(new Error('too many connections'), { code: '53300' });
  await assert.rejects(readWhile(error), error);
});
