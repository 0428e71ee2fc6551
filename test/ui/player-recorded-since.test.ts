import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordedSince } from '../../web/player/src/recorded-since.ts';
import type { PageAnswer, UnitsAnswer } from '../../web/player/src/server.ts';

const PAGE = { attempt: 0, page: 1 } as PageAnswer;

describe('a page that asks what was recorded', () => {
  it('polls once at a time, and not again at once while too many others are waiting', async (t) => {
    const responses: ((response: Response) => void)[] = [];
    t.mock.method(globalThis, 'fetch', () => new Promise((resolve) => responses.push(resolve)));
    const recorded = new RecordedSince(() => PAGE, { onAnswer: () => {}, onEnd: () => {} });
    const polled = recorded.poll();
    await recorded.poll();
    assert.equal(responses.length, 1);
    responses[0]?.(new Response('{}', { status: 429 }));
    await polled;
    assert.equal(responses.length, 1);
    const again = recorded.poll();
    responses[1]?.(new Response('{}'));
    await again;
    assert.equal(responses.length, 2);
  });

  it('drops an answer that arrives after a newer one', async (t) => {
    const responses: ((response: Response) => void)[] = [];
    t.mock.method(globalThis, 'fetch', () => new Promise((resolve) => responses.push(resolve)));
    const answers: UnitsAnswer[] = [];
    const recorded = new RecordedSince(() => PAGE, {
      onAnswer: (answer) => answers.push(answer),
      onEnd: () => {},
    });
    const older = recorded.ask();
    const newer = recorded.ask();
    responses[1]?.(Response.json({ units: ['newer'] }));
    await newer;
    responses[0]?.(Response.json({ units: ['older'] }));
    await older;
    assert.deepEqual(answers, [{ units: ['newer'] }]);
  });
});
