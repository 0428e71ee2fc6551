import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { formerPage, leavePage, takeOver } from '../../web/player/src/former-page.ts';
import { pageInNode } from './support/page-in-node.ts';

/** A tab that shows the page of a launch. */
function tabOf(t: TestContext) {
  Object.assign(globalThis, { location: { pathname: '/token/player/', reload: () => {} } });
  t.after(() => delete (globalThis as { location?: unknown }).location);
  return pageInNode(t);
}

describe('the page that a tab had loaded before', () => {
  it('is known to the next page once it was closed', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    await tab.fire('pagehide');
    assert.deepEqual(formerPage(), { page: 7, isToTakeOver: false });
    leavePage(8);
    assert.equal(formerPage(), null);
  });

  it('is known while it is hidden, since browsers discard hidden pages, and not while it is visible', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    assert.equal(formerPage(), null, 'a duplicated tab does not continue it');
    await tab.hide();
    assert.equal(formerPage()?.page, 7);
    await tab.show();
    assert.equal(formerPage(), null);
  });

  it('is known as one that the learner wants to take over, whether it had opened or not', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    takeOver();
    await tab.fire('pagehide');
    await tab.hide();
    assert.deepEqual(formerPage(), { page: 7, isToTakeOver: true });
    await tab.show();
    leavePage(8);
    assert.equal(formerPage(), null);
    await tab.hide();
    takeOver();
    assert.deepEqual(formerPage(), { page: 8, isToTakeOver: true });
    leavePage(8);
    await tab.hide();
    assert.deepEqual(formerPage(), { page: 8, isToTakeOver: false });
  });

  it('does not take over later if it could not be loaded when the learner wanted that', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    takeOver();
    await tab.fire('pagehide');
    await tab.pass(61_000);
    assert.deepEqual(formerPage(), { page: 7, isToTakeOver: false });
  });

  it('still takes over if the learner first decides about unsent work', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    takeOver();
    await tab.fire('pagehide');
    assert.equal(formerPage()?.isToTakeOver, true);
    await tab.pass(61_000);
    assert.equal(formerPage()?.isToTakeOver, true);
    leavePage(8);
  });

  it('is not continued by the page of another launch', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    await tab.fire('pagehide');
    location.pathname = '/other/player/';
    assert.equal(formerPage(), null);
  });

  it('is unknown where the browser has no storage', async (t) => {
    const tab = tabOf(t);
    Object.assign(globalThis, { sessionStorage: null });
    leavePage(7);
    await tab.fire('pagehide');
    assert.equal(formerPage(), null);
  });
});
