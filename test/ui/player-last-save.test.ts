import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { LastSave } from '../../web/player/src/last-save.ts';

/** A closed unit, whose last save is not done until `save` is called. */
function closedUnit(t: TestContext) {
  const shown: string[] = [];
  const lastSave = new LastSave({
    isLoading: false,
    showClosing: (isOut) => void shown.push(isOut ? 'closing' : 'loading'),
    showUnsaved: (why, { isOut }) => void shown.push(isOut ? why : `${why} between units`),
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const overdue = t.mock.fn();
  const retry = t.mock.fn();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const wait = async (isOut: boolean, isUnsure: (() => boolean) | null = null) => {
    const saver = isUnsure === null ? { overdue, retry } : null;
    await lastSave.wait({ saver, isUnsure: isUnsure ?? (() => false), isOut }, () => promise);
  };
  const pass = (ms: number) => t.mock.timers.tick(ms);
  return { lastSave, shown, wait, pass, overdue, save: resolve };
}

describe('the last save of a unit', () => {
  it('is shown to learners who leave the course, once for each thing to know', async (t) => {
    const { lastSave, shown, wait, save } = closedUnit(t);
    const saved = wait(true);
    assert.deepEqual(shown, ['closing']);
    // Another try begins and fails, then the browser has no more room.
    for (const state of ['saving', 'offline', 'saving', 'offline', 'unkept', 'unkept'] as const)
      assert.equal(lastSave.changed(state), true);
    assert.deepEqual(shown, ['closing', 'offline', 'unkept']);
    lastSave.changed('saved');
    assert.equal(shown.at(-1), 'closing', 'nothing is unsaved any longer');
    save();
    await saved;
    assert.equal(lastSave.changed('saved'), false);
  });

  it('is shown at once as not saved if the connection was lost before', (t) => {
    const { lastSave, shown, wait } = closedUnit(t);
    assert.equal(lastSave.changed('offline'), false);
    void wait(true);
    assert.deepEqual(shown, ['offline']);
  });

  it('is shown on the way to another unit, too, until the learner leaves the course', (t) => {
    const { lastSave, shown, wait } = closedUnit(t);
    void wait(false);
    assert.equal(lastSave.changed('saving'), false);
    assert.equal(lastSave.changed('refused'), false, 'a notice says it');
    assert.equal(lastSave.changed('offline'), true);
    lastSave.leave();
    assert.deepEqual(shown, ['loading', 'offline between units', 'offline']);
  });

  it('is not shown as on leaving the course after the learner has decided to stay', async (t) => {
    const { lastSave, shown, wait, save } = closedUnit(t);
    lastSave.leave();
    const saved = wait(false);
    lastSave.changed('offline');
    save();
    await saved;
    assert.deepEqual(shown, ['loading', 'offline between units']);
  });

  it('is overdue after a few seconds, and the saver is notified', async (t) => {
    const { wait, pass, overdue, save } = closedUnit(t);
    const saved = wait(true);
    pass(4_999);
    assert.equal(overdue.mock.callCount(), 0);
    pass(1);
    assert.equal(overdue.mock.callCount(), 1);
    save();
    await saved;
  });

  it('is shown as overdue if the unit calls the service itself, until the page knows more', async (t) => {
    const { shown, wait, pass, save } = closedUnit(t);
    const saved = wait(true, () => true);
    pass(5_000);
    save();
    await saved;
    assert.deepEqual(shown, ['closing', 'unsure', 'closing']);
  });

  it('is not shown as overdue once the service has responded to everything that such a unit reported', async (t) => {
    const { shown, wait, pass, save } = closedUnit(t);
    let isUnsure = true;
    const saved = wait(true, () => isUnsure);
    isUnsure = false;
    pass(5_000);
    save();
    await saved;
    assert.deepEqual(shown, ['closing']);
  });
});
