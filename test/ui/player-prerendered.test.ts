import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openPage } from '../../web/player/src/send-unsent.ts';
import { keepUnsent } from '../../web/player/src/unsent.ts';
import { pageInNode } from './support/page-in-node.ts';

const OWNER = { registration: 'R', attempt: 1 };

describe('a page that the browser only prepares', () => {
  it('sends nothing and takes no course over before the learner sees it', async (t) => {
    const page = pageInNode(t);
    const work = { page: 1, sequence: 9, unit: 'i1' };
    keepUnsent(OWNER, 'commit', work, { replaces: true, isPromised: false });
    Object.assign(document, { prerendering: true });
    page.answer = (path) =>
      Response.json(path === 'commit' ? { outcome: 'recorded' } : { ...OWNER, page: 2, mode: 'normal' });
    const opened = openPage(false);
    await page.pass(60_000);
    assert.deepEqual(page.requests, []);
    Object.assign(document, { prerendering: false });
    await page.fire('prerenderingchange');
    assert.equal((await opened).wasRecovered, true);
    assert.deepEqual(
      page.requests.map(({ path }) => path),
      ['attempt', 'commit', 'open'],
    );
  });
});
