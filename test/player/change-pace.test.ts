import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the pace is kept in the memory of the process.

/** Changes that are recorded at once. Each further one follows after a second. */
const AT_ONCE = 60;
const FURTHER = 2;

test('a course that reports another score all the time is slowed down, and no score is lost', async () => {
  await using service = await startTestService();
  const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
  const startedAt = performance.now();
  for (let score = 1; score <= AT_ONCE + FURTHER; score++) {
    const cmi = { core: { lesson_status: 'incomplete', score: { raw: `${score}` } } };
    const { status, body } = await client.commit('i1', cmi);
    assert.deepEqual([status, body], [200, { outcome: 'recorded' }]);
  }
  assert.ok(performance.now() - startedAt >= FURTHER * 1_000, 'the last ones wait');
  const query = `registration_id=${registrationId}&subtopic=REGISTRATION_STATUS_UPDATED&limit=200`;
  const { data } = (await service.api.get(`/events?${query}`)).body;
  assert.equal(data.length, AT_ONCE + FURTHER, 'each change is an event');
});
