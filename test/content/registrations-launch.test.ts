import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ManualClock } from '../support/clock.ts';
import { cmi5Package } from '../support/course-packages.ts';
import { breakTable, openDatabaseOf } from '../support/database.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { problemErrors, uploadForm } from './packages.ts';
import { launch, makeParties, register, takeAll } from './registration-helpers.ts';

/** What browsers accept when they open a page. */
const BROWSER_ACCEPTS = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function open(
  url: string,
  init?: RequestInit,
): Promise<{ status: number; headers: Headers; html: string }> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

/** Asserts the properties of every page behind a launch URL. */
function assertPage({ headers, html }: { headers: Headers; html: string }): void {
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('set-cookie'), null);
  const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  assert.equal(
    headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.match(style, /prefers-color-scheme:dark/);
  assert.match(html, /<meta name="viewport" content="width=device-width, initial-scale=1">/);
  assert.doesNotMatch(html, /<script|<link|<img|style=|\son\w+=|https?:/i);
}

describe('launching a registration', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 31, 9, 30));
  let service: TestService;
  let api: Api;
  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({
        now: clock.now,
        settings: { access_token_lifetime: 30 * 24 * 3_600 },
      }),
    );
    api = service.api;
  });

  it('returns a URL of this service that can be opened for eight hours', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const { status, headers, body } = await api.post(`/registrations/${id}/launch`);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['launch_url', 'expires_dt']);
    assert.ok(body.launch_url.startsWith(`${service.url}/launch/`), body.launch_url);
    assert.equal(body.expires_dt, new Date(clock.now() + 8 * HOUR_MS).toISOString());
    assert.equal(headers.get('cache-control'), 'no-store');
    const { launched_dt } = (await api.get(`/registrations/${id}`)).body;
    assert.equal(launched_dt, new Date(clock.now()).toISOString());
  });

  it('returns a URL below base_url if that is set', async () => {
    const base_url = 'https://learn.example.com/content';
    await using proxied = await startTestService({ settings: { base_url } });
    const { registration_id: id } = await register(proxied, await makeParties(proxied));
    const url = await launch(proxied, id);
    assert.ok(url.startsWith(`${base_url}/launch/`), url);
    const opened = await open(url.replace(base_url, proxied.url));
    assert.equal(opened.status, 303);
    assert.match(opened.headers.get('location') ?? '', /^https:\/\/learn\.example\.com:\d+\/cwp1_/);
  });

  it('opens the player on the content origin, without a referrer and as a new launch each time', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const url = await launch(service, id);
    const addresses: string[] = [];
    for (let time = 0; time < 2; time++) {
      const { status, headers } = await open(url);
      assert.equal(status, 303);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('set-cookie'), null);
      addresses.push(headers.get('location') ?? '');
    }
    for (const address of addresses) {
      const { origin, pathname } = new URL(address);
      assert.equal(origin, service.service.contentUrl);
      assert.match(pathname, /^\/cwp1_[\w-]{72}\/player\/$/);
    }
    assert.notEqual(addresses[0], addresses[1]);
    assert.equal((await open(url, { method: 'HEAD' })).headers.get('location'), null);
  });

  it('rejects a link that was tampered with, with a page that a learner understands', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const url = await launch(service, id);
    const at = url.length - 40;
    const changed = url[at] === 'A' ? 'B' : 'A';
    for (const other of [
      url.slice(0, at) + changed + url.slice(at + 1),
      url.slice(0, -1),
      `${url}A`,
      `${url}/more`,
      `${service.url}/launch/`,
      `${service.url}/launch/${id}`,
      `${service.url}/launch/${'x'.repeat(4_000)}`,
      `${service.url}/launch/%3Cscript%3E`,
    ]) {
      const page = await open(other);
      assert.equal(page.status, 404, other);
      assertPage(page);
      assert.match(page.html, /This link is not valid/);
    }
  });

  it('accepts no access token as a launch link, nor the other way round', async () => {
    assert.equal((await open(`${service.url}/launch/${api.token}`)).status, 404);
    const { registration_id: id } = await register(service, await makeParties(service));
    const token = (await launch(service, id)).split('/').at(-1)!;
    const answer = await fetch(`${service.url}/accounts`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 401);
    await answer.arrayBuffer();
  });

  it('returns links that expire', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const url = await launch(service, id);
    clock.pass(8 * HOUR_MS - 1);
    assert.equal((await open(url)).status, 303);
    clock.pass(1);
    const page = await open(url);
    assert.equal(page.status, 410);
    assertPage(page);
    assert.match(page.html, /This link has expired/);
  });

  it('returns links that stop working once the registration or its account is deleted', async () => {
    const parties = await makeParties(service);
    const ids = [await register(service, parties), await register(service, parties)];
    const urls: string[] = [];
    for (const { registration_id } of ids) urls.push(await launch(service, registration_id));
    await api.delete(`/registrations/${ids[0]?.registration_id}`);
    const page = await open(urls[0]!);
    assert.equal(page.status, 410);
    assertPage(page);
    assert.match(page.html, /This course is no longer available/);
    assert.equal((await open(urls[1]!)).status, 303);
    await takeAll(service, parties.account_id);
    assert.equal((await api.delete(`/accounts/${parties.account_id}`)).status, 204);
    assert.equal((await open(urls[1]!)).status, 410);
  });

  it('returns links that say that the course was reset if a reset has changed the version', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    const url = await launch(service, id);
    await api.post(`/registrations/${id}/reset`);
    assert.equal((await open(url)).status, 303, 'the version is the same');
    await api.post(`/courses/${parties.course_id}/versions`, uploadForm(new Uint8Array(await cmi5Package())));
    await api.post(`/courses/${parties.course_id}/versions/1/publish`);
    assert.equal((await open(url)).status, 303, 'a registration keeps its version until it is reset');
    await api.post(`/registrations/${id}/reset`);
    const page = await open(url);
    assert.equal(page.status, 410);
    assertPage(page);
    assert.match(page.html, /<h1>This link is out of date<\/h1>/);
    assert.match(page.html, /was reset .* open the course from there again/);
    assert.doesNotMatch(page.html, /deleted|no longer exists/);
    assert.equal((await open(await launch(service, id))).status, 303);
  });

  it('shows that the course is no longer available if the registration is deleted while its link is opened', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const url = await launch(service, id);
    await using database = await openDatabaseOf(service.settings.data_dir);
    const deletion = await beginTransaction(database);
    await deletion.tx.run('delete from registrations where registration_id = ?', id);
    const opening = open(url);
    try {
      if (ON_POSTGRES) await untilOneWaits(database);
      // SQLite does not show who waits: the service has read the registration once it has answered other requests.
      else for (let read = 0; read < 10; read++) await api.get(`/registrations/${id}`);
    } finally {
      await deletion.commit();
    }
    const page = await opening;
    assert.equal(page.status, 410, page.html);
    assertPage(page);
    assert.match(page.html, /This course is no longer available/);
  });

  it('shows a page if the course cannot be opened right now, and a problem to anything but a browser', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const url = await launch(service, id);
    await using database = await openDatabaseOf(service.settings.data_dir);
    {
      await using _broken = await breakTable(database, 'player_launches', 'insert');
      const page = await open(url, { headers: { accept: BROWSER_ACCEPTS } });
      assert.equal(page.status, 500);
      assertPage(page);
      assert.match(page.html, /<h1>The course cannot be opened right now<\/h1>/);
      assert.match(page.html, /Your earlier work is kept/);
      const problem = await open(url);
      assert.equal(problem.status, 500);
      assert.equal(problem.headers.get('content-type'), 'application/problem+json');
    }
    assert.equal((await open(url)).status, 303);
  });

  it('is rejected while the account is disabled, and once it no longer has the course', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await api.put(`/accounts/${parties.account_id}`, { name: 'Northwind', enabled: false });
    const disabled = await api.post(`/registrations/${id}/launch`);
    problemErrors(disabled, 409);
    assert.match(disabled.body.detail, /is disabled/);
    await api.put(`/accounts/${parties.account_id}`, { name: 'Northwind', enabled: true });
    await takeAll(service, parties.account_id);
    const notHeld = await api.post(`/registrations/${id}/launch`);
    problemErrors(notHeld, 409);
    assert.match(notHeld.body.detail, /does not have the course/);
    assert.equal((await api.get(`/registrations/${id}`)).body.launched_dt, null);
  });

  it('returns the same link again for an Idempotency-Key', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const key = { 'Idempotency-Key': `launch ${id}`.replace(' ', '-') };
    const first = await api.post(`/registrations/${id}/launch`, undefined, key);
    clock.pass(1_000);
    const second = await api.post(`/registrations/${id}/launch`, undefined, key);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.notEqual(await launch(service, id), first.body.launch_url);
  });

  it('returns a new link for an Idempotency-Key once the link of the first response has expired', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const post = (body = {}) =>
      api.post(`/registrations/${id}/launch`, body, { 'Idempotency-Key': `expires-${id}` });
    const first = await post();
    clock.pass(8 * HOUR_MS - 1_000);
    assert.equal((await post()).body.launch_url, first.body.launch_url);
    clock.pass(1_000);
    assert.equal((await post({ mode: 'review' })).status, 422, 'the key is still that of the first request');
    const again = await Promise.all([post(), post(), post()]);
    const links = new Set(again.map(({ status, body }) => `${status} ${body.launch_url}`));
    assert.equal(links.size, 1);
    const [{ body } = first] = again;
    assert.notEqual(body.launch_url, first.body.launch_url);
    assert.equal(Date.parse(body.expires_dt), clock.now() + 8 * HOUR_MS);
    assert.equal((await open(body.launch_url)).status, 303);
    assert.equal(again.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  });

  it('stores no link in readable form, not even with an Idempotency-Key', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const key = { 'Idempotency-Key': `unreadable-${id}` };
    const { body } = await api.post(`/registrations/${id}/launch`, undefined, key);
    await using database = await openDatabaseOf(service.settings.data_dir);
    const kept = await database.reader.all(
      'select * from idempotency_keys where idempotency_key = ?',
      key['Idempotency-Key'],
    );
    assert.equal(kept.length, 1);
    assert.ok(!JSON.stringify(kept).includes(body.launch_url.split('/').at(-1)));
  });

  it('returns links that survive a restart and do not work at another installation', async () => {
    using folder = temporaryFolder();
    const options = { dataDir: folder.path, now: clock.now };
    const first = await startTestService(options);
    const { registration_id: id } = await register(first, await makeParties(first));
    const token = (await launch(first, id)).split('/').at(-1);
    await first.stop();
    await using second = await startTestService(options);
    assert.equal((await open(`${second.url}/launch/${token}`)).status, 303);
    assert.equal((await open(`${service.url}/launch/${token}`)).status, 404);
  });

  it('leaves no link in the log', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    const token = (await launch(service, id)).split('/').at(-1)!;
    await open(`${service.url}/launch/${token}`);
    assert.ok(!JSON.stringify(service.logLines).includes(token));
  });
});
