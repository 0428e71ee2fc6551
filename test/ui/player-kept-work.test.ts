import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../src/time/units.ts';
import { hasLoss } from '../../web/player/src/lost-work.ts';
import { Saver } from '../../web/player/src/saver.ts';
import { keepUnsent, takeUnsent } from '../../web/player/src/unsent.ts';
import { pageInNode, problem } from './support/page-in-node.ts';

/** Stores unsent work of this many characters. Returns whether the browser keeps it after the tab is closed. */
const keep = (registration: string, length = 10, isPromised = false) => {
  const write = { page: 1, sequence: 1, cmi: { suspend_data: 'x'.repeat(length) } };
  return keepUnsent({ registration, attempt: 1 }, 'commit', write, { replaces: true, isPromised });
};
/** Begins to save this many characters of a learner's work. */
const save = (registration: string, length: number) => {
  new Saver({
    owner: { registration, attempt: 1 },
    path: 'commit',
    unit: 'i1',
    page: 1,
    visit: 1,
    counter: { next: 1 },
    read: () => ({ cmi: { suspend_data: 'x'.repeat(length) } }),
    isRunning: () => true,
    onState: () => {},
  }).changed('terminate');
};
const keptOf = (storage: Storage) => Object.keys(storage).map((key) => key.split(' ')[1]);

describe('a browser that several learners use', () => {
  it('keeps the unsent work of each, however many they are', (t) => {
    const { kept } = pageInNode(t);
    const learners = Array.from({ length: 30 }, (_, number) => `R${number}`);
    for (const learner of learners) assert.equal(keep(learner), true);
    assert.deepEqual(keptOf(kept), learners);
  });

  it('makes room for new work only if its storage is full: the oldest goes first', (t) => {
    const { kept } = pageInNode(t, { room: 4_000 });
    t.mock.timers.setTime(DAY_MS);
    keep('newer', 1_000);
    t.mock.timers.setTime(0);
    keep('older', 1_000);
    t.mock.timers.setTime(2 * DAY_MS);
    assert.equal(keep('here', 2_000), true);
    assert.deepEqual(keptOf(kept), ['newer', 'here']);
  });

  it('removes work that a page promised to save last of all, and remembers that it is lost', (t) => {
    const { kept } = pageInNode(t, { room: 4_000 });
    keep('promised', 1_000, true);
    t.mock.timers.setTime(DAY_MS);
    keep('copy', 1_000);
    t.mock.timers.setTime(2 * DAY_MS);
    assert.equal(keep('here', 2_000), true);
    assert.deepEqual(keptOf(kept), ['promised', 'here']);
    assert.equal(hasLoss('copy'), false);
    assert.equal(keep('there', 3_000), true);
    assert.equal(keptOf(kept).includes('there'), true);
    assert.deepEqual(['promised', 'here', 'copy'].map(hasLoss), [true, false, false]);
  });

  it('removes nothing for work that does not fit in any case', (t) => {
    const { kept } = pageInNode(t, { room: 4_000 });
    keep('older', 1_000);
    keep('newer', 1_000);
    assert.equal(keep('here', 10_000), false);
    assert.deepEqual(keptOf(kept).sort(), ['newer', 'older']);
  });

  it('keeps it if the service accepts the work of another', async (t) => {
    const page = pageInNode(t, { room: 4_000 });
    keep('offline', 2_000);
    save('online', 2_000);
    await page.pass(0);
    assert.deepEqual([page.requests.length, keptOf(page.kept)], [1, ['offline']]);
  });

  for (const [what, answer] of [
    ['the connection is lost', () => Promise.reject(new TypeError('network'))],
    ['the launch has expired', () => problem(410)],
  ] as const) {
    it(`replaces the oldest work if ${what} while other work is saved`, async (t) => {
      const page = pageInNode(t, { room: 4_000 });
      page.answer = answer;
      keep('older', 2_000);
      save('here', 2_000);
      await page.pass(0);
      assert.deepEqual(keptOf(page.kept), ['here']);
    });
  }

  it('keeps only the newest work of a learner, even after it has moved to the storage of the tab', (t) => {
    const { kept } = pageInNode(t, { room: 4_000 });
    keep('here', 100);
    kept.setItem('course', '');
    kept.setItem('course', 'x'.repeat(3_000));
    const owner = { registration: 'here', attempt: 1 };
    const newer = (sequence: number, length: number) => {
      const write = { page: 1, sequence, cmi: { suspend_data: 'x'.repeat(length) } };
      return keepUnsent(owner, 'commit', write, { replaces: true, isPromised: false });
    };
    assert.equal(newer(2, 2_000), false, 'the storage of the tab does not outlive it');
    assert.equal(takeUnsent(owner)?.write.sequence, 2);
    assert.equal(newer(3, 100), true);
    assert.deepEqual([keptOf(kept).sort(), keptOf(sessionStorage)], [[undefined, 'here'].sort(), []]);
  });

  it('keeps the work of the others if a full storage has no room for another try', (t) => {
    const { kept } = pageInNode(t, { room: 4_000 });
    keep('other', 1_000);
    keep('here', 1_000);
    // Earlier releases did not count the tries, so the entry grows.
    const here = Object.keys(kept).find((key) => key.includes('here')) ?? '';
    const { tries: _tries, path: _path, ...former } = JSON.parse(kept.getItem(here) ?? '');
    kept.setItem(here, JSON.stringify(former));
    kept.setItem('course', '');
    kept.setItem('course', 'x'.repeat(4_000 - JSON.stringify({ ...kept }).length));
    assert.deepEqual(takeUnsent({ registration: 'here', attempt: 1 })?.write.sequence, 1);
    assert.deepEqual(keptOf(kept).sort(), [undefined, 'here', 'other'].sort());
    assert.deepEqual(JSON.parse(kept.getItem(here) ?? ''), former, 'it stays as it was');
  });
});
