import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aiccFiles } from '../support/course-packages.ts';
import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Player } from './learner-helpers.ts';

// Runs on SQLite alone: the pace is kept in the memory of the process.

/** Changes that are recorded at once. Each further one follows after a second. */
const AT_ONCE = 60;
const FURTHER = 2;
/** Last requests that would wait much longer than they take. */
const LAST = 8;

async function changesOf({ api }: Pick<TestService, 'api'>, registrationId: string): Promise<number> {
  const query = `registration_id=${registrationId}&subtopic=REGISTRATION_STATUS_UPDATED&limit=200`;
  return (await api.get(`/events?${query}`)).body.data.length;
}

/** The header of a request of a page that is being closed. */
const lastRequest = (number: number) => ({ 'coursewire-last-request': `a1b2c3d4e5f6 ${number}` });

describe('a course that reports another score all the time', () => {
  it('is slowed down, and no score is lost', async () => {
    await using service = await startTestService();
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const startedAt = performance.now();
    for (let score = 1; score <= AT_ONCE + FURTHER; score++) {
      const cmi = { core: { lesson_status: 'incomplete', score: { raw: `${score}` } } };
      const { status, body } = await client.commit('i1', cmi);
      assert.deepEqual([status, body], [200, { outcome: 'recorded' }]);
    }
    assert.ok(performance.now() - startedAt >= FURTHER * 1_000, 'the last ones wait');
    assert.equal(await changesOf(service, registrationId), AT_ONCE + FURTHER, 'each change is an event');
  });

  it('is not slowed down while its page is being closed', async () => {
    await using service = await startTestService();
    const scorm = await startUnit(service, scorm12Course(), 'i1');
    const cmi = (score: number) => ({ core: { lesson_status: 'incomplete', score: { raw: `${score}` } } });
    for (let score = 1; score <= AT_ONCE; score++) await scorm.client.commit('i1', cmi(score));

    const { registrationId } = await registerTo(service, aiccFiles());
    const unit = new AiccUnit(await (await Player.open(service, registrationId)).openUnit('A1'));
    const data = (score: number) => `[Core]\r\nLesson_Status=i\r\nScore=${score}\r\n`;
    for (let score = 1; score <= AT_ONCE; score++) await unit.send('PutParam', data(score));

    const startedAt = performance.now();
    for (let number = 1; number <= LAST; number++) {
      const score = AT_ONCE + number;
      const body = scorm.client.commitOf('i1', cmi(score));
      assert.equal((await scorm.client.post('commit', body, lastRequest(number))).status, 200);
      const { url, sessionId: session_id } = unit;
      const form = new URLSearchParams({ command: 'PutParam', session_id, aicc_data: data(score) });
      const answer = await fetch(url, { method: 'POST', headers: lastRequest(number), body: form });
      assert.match(await answer.text(), /^error=0/);
    }
    assert.ok(performance.now() - startedAt < (LAST - 1) * 1_000, 'none waits');
    assert.equal(await changesOf(service, scorm.registrationId), AT_ONCE + LAST);
    assert.equal(await changesOf(service, registrationId), AT_ONCE + LAST);
  });
});
