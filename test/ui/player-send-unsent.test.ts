import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS } from '../../src/time/units.ts';
import { forgetLoss } from '../../web/player/src/lost-work.ts';
import { openPage, RefusedPage, sendUnsent } from '../../web/player/src/send-unsent.ts';
import { forgetUnsent, keepUnsent } from '../../web/player/src/unsent.ts';
import { answerOfProxy, pageInNode, problem } from './support/page-in-node.ts';

const OWNER = { registration: 'R', attempt: 1 };
const WORK = { page: 1, sequence: 9, unit: 'i1', cmi: { suspend_data: 'two hours of work' } };

/** Work that an earlier page has left. `answer` answers each request that sends it. */
function pageWithWork(t: TestContext, answer: () => Response) {
  const page = pageInNode(t);
  keepUnsent(OWNER, 'commit', WORK, { replaces: true, isPromised: false });
  page.answer = (path) => (path === 'attempt' ? Response.json(OWNER) : answer());
  return page;
}

describe('unsent work of an earlier page', () => {
  for (const [what, failure] of [
    ['the service cannot write', () => problem(503)],
    ['the service has an error', () => problem(500)],
    [
      'the connection is lost again',
      () => {
        throw new TypeError('network');
      },
    ],
  ] as const) {
    it(`stays until it is sent, however often the learner tries again while ${what}`, async (t) => {
      let answer: () => Response = failure;
      const page = pageWithWork(t, () => answer());
      for (let tries = 1; tries <= 10; tries++) {
        assert.equal(await sendUnsent(), tries < 5 ? 'unreachable' : 'stuck');
      }
      answer = () => Response.json({ outcome: 'recorded' });
      assert.equal(await sendUnsent(), 'recorded');
      assert.deepEqual(page.requests.at(-1)?.body, { ...WORK, lateOf: 1 });
      assert.deepEqual(Object.keys(page.kept), []);
    });
  }

  for (const status of [401, 403, 404, 409, 410, 413]) {
    it(`stays if a proxy answers ${status} in place of the service`, async (t) => {
      const page = pageWithWork(t, () => answerOfProxy(status));
      assert.equal(await sendUnsent(), 'unreachable');
      assert.equal(Object.keys(page.kept).length, 1);
    });
  }

  it('is sent once more if the learner discards it, and only lost if that fails, too', async (t) => {
    let answer = () => Response.json({ outcome: 'recorded' });
    const page = pageWithWork(t, () => answer());
    page.answer = (path) => {
      if (path === 'attempt') return Response.json(OWNER);
      return path === 'open' ? Response.json({ ...OWNER, page: 2, mode: 'normal' }) : answer();
    };
    assert.equal((await openPage(true)).wasRecovered, true);
    keepUnsent(OWNER, 'commit', WORK, { replaces: true, isPromised: false });
    answer = () => problem(500);
    for (let tries = 1; tries < 5; tries++) await assert.rejects(openPage(true));
    assert.equal((await openPage(true)).wasRecovered, false);
    assert.deepEqual(Object.keys(page.kept), []);
  });

  it('is not looked for where the browser has no storage, and the page opens', async (t) => {
    const page = pageInNode(t);
    // As in a WebView of Android by default.
    for (const global of [window, globalThis])
      Object.assign(global, { localStorage: null, sessionStorage: null });
    page.answer = () => Response.json({ ...OWNER, page: 1, mode: 'normal' });
    assert.equal((await openPage(false)).wasRecovered, false);
    assert.equal(keepUnsent(OWNER, 'commit', WORK, { replaces: true, isPromised: false }), false);
  });

  it('is removed if its registration was deleted, and stays if only the launch has expired', async (t) => {
    let reason = 'expired';
    const page = pageWithWork(t, () => problem(410, { reason }));
    assert.equal(await sendUnsent(), 'nothing');
    assert.equal(Object.keys(page.kept).length, 1);
    reason = 'deleted';
    await sendUnsent();
    assert.deepEqual(Object.keys(page.kept), []);
  });

  it('is removed once the service has rejected it', async (t) => {
    const page = pageWithWork(t, () => problem(400));
    assert.equal(await sendUnsent(), 'nothing');
    assert.deepEqual(Object.keys(page.kept), []);
  });

  describe('that the learner expects to be saved', () => {
    const keep = () => keepUnsent(OWNER, 'commit', WORK, { replaces: true, isPromised: true });

    for (const [what, answer] of [
      [
        'the course was opened elsewhere since',
        () => Response.json({ outcome: 'superseded' }, { status: 409 }),
      ],
      ['the service rejects it', () => problem(413)],
    ] as const) {
      it(`is lost if ${what}`, async (t) => {
        const page = pageInNode(t);
        keep();
        page.answer = (path) => {
          if (path === 'attempt') return Response.json(OWNER);
          return path === 'open' ? Response.json({ ...OWNER, page: 2, mode: 'normal' }) : answer();
        };
        const { isLost, wasRecovered } = await openPage(false);
        assert.deepEqual([isLost, wasRecovered], [true, false]);
        forgetLoss('R');
        assert.deepEqual(Object.keys(page.kept), []);
        assert.equal((await openPage(false)).isLost, false, 'it is shown once');
      });
    }

    it('is not lost if another tab that opens at the same time has sent it', async (t) => {
      const page = pageInNode(t);
      keep();
      page.answer = (path) => {
        if (path === 'attempt') return Response.json(OWNER);
        // The other tab has received the response, and has opened its page.
        forgetUnsent(OWNER, WORK);
        return Response.json({ outcome: 'superseded' }, { status: 409 });
      };
      assert.equal(await sendUnsent(), 'nothing');
      assert.deepEqual(Object.keys(page.kept), []);
    });

    it('is still known to be lost after a page that could not open', async (t) => {
      const page = pageInNode(t);
      keep();
      let isDown = true;
      page.answer = (path) => {
        if (path === 'attempt') return Response.json(OWNER);
        if (path === 'open' && isDown) return problem(503);
        return path === 'open'
          ? Response.json({ ...OWNER, page: 2, mode: 'normal' })
          : Response.json({ outcome: 'superseded' }, { status: 409 });
      };
      await assert.rejects(openPage(false));
      isDown = false;
      assert.equal((await openPage(false)).isLost, true);
      assert.equal((await openPage(false)).isLost, true, 'no page has shown it');
    });

    it('is known to be lost on each page that is refused, since a newer one has taken over', async (t) => {
      const page = pageInNode(t);
      keep();
      page.answer = (path) => {
        if (path === 'attempt') return Response.json(OWNER);
        return path === 'open' ? problem(403) : Response.json({ outcome: 'superseded' }, { status: 409 });
      };
      const isRefused = (isLost: boolean) => (error: unknown) =>
        error instanceof RefusedPage && error.status === 403 && error.isLost === isLost;
      await assert.rejects(openPage(false), isRefused(true));
      await assert.rejects(openPage(false), isRefused(true), 'the learner may not have seen it');
      forgetLoss('R');
      await assert.rejects(openPage(false), isRefused(false));
    });

    it('is not reported to a page that records nothing, or that of another registration', async (t) => {
      const page = pageInNode(t);
      keep();
      page.answer = (path) => (path === 'attempt' ? Response.json(OWNER) : problem(400));
      await sendUnsent();
      const pageOf = async (opened: { registration: string | null; mode: string }) => {
        page.answer = () => Response.json({ ...OWNER, page: 2, ...opened });
        return (await openPage(false)).isLost;
      };
      assert.equal(await pageOf({ registration: 'R', mode: 'browse' }), false);
      assert.equal(await pageOf({ registration: 'S', mode: 'normal' }), false);
      assert.equal(await pageOf({ registration: null, mode: 'normal' }), false);
      assert.equal(await pageOf({ registration: 'R', mode: 'normal' }), true);
    });

    it('is lost if a reset has ended its attempt', async (t) => {
      const page = pageInNode(t);
      keep();
      page.answer = () => Response.json({ ...OWNER, attempt: 2 });
      assert.equal(await sendUnsent(), 'lost');
      forgetLoss('R');
      assert.deepEqual(Object.keys(page.kept), []);
    });

    it('is sent however old it is, because the service decides whether it is too late', async (t) => {
      const page = pageInNode(t);
      keep();
      t.mock.timers.setTime(400 * DAY_MS);
      page.answer = (path) => Response.json(path === 'attempt' ? OWNER : { outcome: 'recorded' });
      assert.equal(await sendUnsent(), 'recorded');
      assert.deepEqual(page.requests.at(-1)?.body, { ...WORK, lateOf: 1 });
      assert.deepEqual(Object.keys(page.kept), []);
    });

    for (const [what, before, after] of [
      ['after 30 days in which only other courses are opened', 0, 31 * DAY_MS],
      ['if the clock was far ahead when it was stored', 31 * DAY_MS, 0],
    ] as const)
      it(`is removed ${what}, and its next page says so`, async (t) => {
        const page = pageInNode(t);
        t.mock.timers.setTime(before);
        keep();
        t.mock.timers.setTime(after);
        const pageOf = async (registration: string) => {
          page.answer = () => Response.json({ registration, attempt: 1, page: 1, mode: 'normal' });
          return (await openPage(false)).isLost;
        };
        assert.equal(await pageOf('S'), false);
        assert.doesNotMatch(JSON.stringify({ ...page.kept }), /two hours of work/);
        assert.equal(await pageOf('R'), true);
      });

    it('stays so while it is tried again', async (t) => {
      const page = pageWithWork(t, () => problem(503));
      keep();
      assert.equal(await sendUnsent(), 'unreachable');
      page.answer = (path) => (path === 'attempt' ? Response.json(OWNER) : problem(400));
      assert.equal(await sendUnsent(), 'lost');
    });
  });
});
