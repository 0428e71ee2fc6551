import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LastSave } from '../../web/player/src/last-save.ts';

/** A closed unit, whose last save is not done until `save` is called. */
function closedUnit() {
  const shown: string[] = [];
  const lastSave = new LastSave({
    showClosing: () => void shown.push('closing'),
    showUnsaved: (isKept) => void shown.push(isKept ? 'kept' : 'unkept'),
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = async (isOut: boolean) => await lastSave.wait({ settled: () => promise }, isOut);
  return { lastSave, shown, wait, save: resolve };
}

describe('the last save of a unit', () => {
  it('is shown to learners who leave the course, once for each thing to know', async () => {
    const { lastSave, shown, wait, save } = closedUnit();
    const saved = wait(true);
    assert.deepEqual(shown, ['closing']);
    // Another try begins and fails, then the browser has no more room.
    for (const state of ['saving', 'offline', 'saving', 'offline', 'unkept', 'unkept'] as const)
      assert.equal(lastSave.changed(state), true);
    assert.deepEqual(shown, ['closing', 'kept', 'unkept']);
    save();
    await saved;
    assert.equal(shown.at(-1), 'closing', 'nothing is unsaved any longer');
    assert.equal(lastSave.changed('saved'), false);
  });

  it('is shown at once as not saved if the connection was lost before', () => {
    const { lastSave, shown, wait } = closedUnit();
    assert.equal(lastSave.changed('offline'), false);
    void wait(true);
    assert.deepEqual(shown, ['kept']);
  });

  it('is shown on the way to another unit only if the learner then leaves the course', () => {
    const { lastSave, shown, wait } = closedUnit();
    void wait(false);
    assert.equal(lastSave.changed('saving'), false);
    lastSave.leave();
    assert.deepEqual(shown, ['closing']);
  });

  it('is not shown on the way to another unit after the learner has decided to stay', async () => {
    const { lastSave, shown, wait, save } = closedUnit();
    lastSave.leave();
    const saved = wait(false);
    lastSave.changed('offline');
    save();
    await saved;
    assert.deepEqual(shown, []);
  });
});
