import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepUnsent } from '../../web/player/src/unsent.ts';
import { pageInNode } from './support/page-in-node.ts';

const DAY_MS = 86_400_000;

/** Keeps unsent work of so many characters. Returns whether the browser keeps it after the tab is closed. */
const keep = (registration: string, length = 10) => {
  const write = { page: 1, sequence: 1, cmi: { suspend_data: 'x'.repeat(length) } };
  return keepUnsent({ registration, attempt: 1 }, 'commit', write);
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

  it('removes nothing for work that has no room in any case', (t) => {
    const { kept } = pageInNode(t, { room: 4_000 });
    keep('older', 1_000);
    keep('newer', 1_000);
    assert.equal(keep('here', 10_000), false);
    assert.deepEqual(keptOf(kept).sort(), ['newer', 'older']);
  });
});
