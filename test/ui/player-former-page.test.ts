import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { formerPage, leavePage } from '../../web/player/src/former-page.ts';
import { pageInNode } from './support/page-in-node.ts';

/** A tab that shows the page of a launch. */
function tabOf(t: TestContext) {
  Object.assign(globalThis, { location: { pathname: '/token/player/' } });
  t.after(() => delete (globalThis as { location?: unknown }).location);
  return pageInNode(t);
}

describe('the page that a tab had loaded before', () => {
  it('is known to the next page once it was closed', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    await tab.fire('pagehide');
    assert.equal(formerPage(), 7);
    leavePage(8);
    assert.equal(formerPage(), null);
  });

  it('is known while it is hidden, since browsers discard hidden pages, and not while it is visible', async (t) => {
    const tab = tabOf(t);
    leavePage(7);
    assert.equal(formerPage(), null, 'a duplicated tab does not continue it');
    await tab.hide();
    assert.equal(formerPage(), 7);
    await tab.show();
    assert.equal(formerPage(), null);
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
