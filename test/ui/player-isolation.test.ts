import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launch } from '../content/registration-helpers.ts';
import { ADMIN_EMAIL, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { Learner } from './support/learner.ts';
import { startUi, type Ui } from './support/ui.ts';

/** Makes the attacks of a hostile course, and returns the outcome of each. */
async function attack({ main, other }: { main: string; other: string }): Promise<Record<string, string>> {
  const tried: Record<string, string> = {};
  const tryOut = async (name: string, work: () => unknown) => {
    try {
      tried[name] = String(await work());
    } catch (error) {
      tried[name] = error instanceof Error ? error.name : 'failed';
    }
  };
  const steal = { credentials: 'include' } as const;
  await tryOut('session', async () => (await fetch(`${main}/ui/api/session`, steal)).status);
  await tryOut('accounts', async () => (await fetch(`${main}/accounts`, steal)).status);
  await tryOut('change', async () => {
    const body = JSON.stringify({ name: 'Mallory' });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${main}/accounts`, { ...steal, method: 'POST', headers, body })).status;
  });
  await tryOut('blind change', async () => {
    const body = JSON.stringify({ name: 'Mallory' });
    return (await fetch(`${main}/accounts`, { ...steal, method: 'POST', mode: 'no-cors', body })).type;
  });
  await tryOut('cookies', () => document.cookie === '');
  await tryOut('opener', () => window.top?.opener === null);
  await tryOut('service worker', async () => {
    const registered = await navigator.serviceWorker.register('index.html');
    return registered.scope;
  });
  await tryOut('token of another launch', async () => {
    const answer = await fetch(`${other.replace(/.(?=.{8}$)/, (at) => (at === 'A' ? 'B' : 'A'))}/open`, {
      method: 'POST',
    });
    return answer.status;
  });
  await tryOut('path out of the course', async () => (await fetch('../..%2f..%2f..%2fcoursewire.db')).status);
  return tried;
}

describe('a hostile course in a browser', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  it('reaches neither the session of an administrator, nor another launch, nor the window that opened it', async () => {
    const { service, browser } = ui;
    const mine = await registerTo(service, scorm12Course());
    const others = await registerTo(service, scorm12Course(), 'bob@example.com');
    const other = await startLaunch(service, others.registrationId);
    const context = await browser.newContext();
    context.setDefaultTimeout(DEADLINE_MS);
    const { cookies } = await signedInBrowser(service.url, ADMIN_EMAIL);
    await context.addCookies(
      Array.from(cookies, ([name, value]) => ({
        name,
        value,
        url: service.url,
        httpOnly: true,
        sameSite: 'Strict' as const,
      })),
    );
    const portal = await context.newPage();
    await portal.goto(`${service.url}/ui/`);
    const url = await launch(service, mine.registrationId);
    const [page] = await Promise.all([
      context.waitForEvent('page'),
      portal.evaluate((address) => void window.open(address), url),
    ]);
    await using learner = new Learner(page);
    await learner.given();
    const accountsBefore = (await service.api.get('/accounts')).body.data.length;
    const tried = await learner.course
      .locator('body')
      .evaluate((_body, [work, input]) => new Function(`return (${work})(${input})`)(), [
        String(attack),
        JSON.stringify({ main: service.url, other: other.base }),
      ] as const);
    assert.deepEqual(tried, {
      session: 'TypeError',
      accounts: 'TypeError',
      change: 'TypeError',
      'blind change': 'opaque',
      cookies: 'true',
      opener: 'true',
      'service worker': 'TypeError',
      'token of another launch': '410',
      'path out of the course': '404',
    });
    assert.equal((await service.api.get('/accounts')).body.data.length, accountsBefore);
  });
});
