import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ManualClock } from '../support/clock.ts';
import { followLink, type PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { exchangeBytes } from '../support/raw-http.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite alone: the tests of launches run the same queries on both databases.

const FILES = {
  ...scorm12Course(),
  'lesson/film.mp4': Buffer.from('0123456789'),
  'lesson/a b#ä.js': 'var a;',
  // As macOS writes names into zips.
  ['lesson/décor.png'.normalize('NFD')]: Buffer.from('decor'),
};

/** Sends the path unchanged; `fetch` would normalize it. */
async function askRaw(origin: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(origin);
  return await new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the content origin', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 31, 9, 30));
  let service: TestService;
  let client: PlayerClient;
  let registrationId: string;
  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({
        now: clock.now,
        settings: { access_token_lifetime: 30 * 24 * 3_600, launch_lifetime: 12 * 3_600 },
      }),
    );
    ({ registrationId } = await registerTo(service, FILES));
    client = await startLaunch(service, registrationId);
  });

  const file = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${client.base}/content/${path}`, { headers });
  const contentPath = () => new URL(client.base).pathname;

  it('is not the origin of the API and the admin UI', () => {
    assert.notEqual(new URL(client.base).origin, new URL(service.url).origin);
    assert.equal(new URL(client.base).origin, service.service.contentUrl);
  });

  it('serves files with their type, and with headers against shared caches, foreign frames and paths in referrers', async () => {
    const answer = await file('lesson/index.html', { cookie: 'a=b' });
    assert.equal(answer.status, 200);
    const expected = {
      'content-type': 'text/html',
      'cache-control': 'private, max-age=43200, immutable',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'permissions-policy': 'unload=*',
      'cross-origin-resource-policy': 'cross-origin',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'content-security-policy': "frame-ancestors 'self'",
      'accept-ranges': 'bytes',
      'set-cookie': null,
      'access-control-allow-origin': null,
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(answer.headers.get(name), value, name);
    assert.match(await answer.text(), /<h1>Lesson<\/h1>/);
    const again = await file('lesson/index.html', { 'if-none-match': answer.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
    const weak = `"another", W/${answer.headers.get('etag')}`;
    for (const [tags, status] of [
      [weak, 304],
      ['"another"', 200],
    ] as const)
      assert.equal((await file('lesson/index.html', { 'if-none-match': tags })).status, status, tags);
    const odd = await file('lesson/a%20b%23%C3%A4.js');
    assert.deepEqual(
      [odd.status, odd.headers.get('content-type'), await odd.text()],
      [200, 'text/javascript', 'var a;'],
    );
    assert.equal((await file('lesson/')).status, 200);
    assert.equal((await file('lesson/none.js')).status, 404);
    assert.equal((await file('lesson/none.js', { 'if-none-match': '*' })).status, 404);
    assert.equal((await file('lesson/index.html', { 'if-none-match': ' * ' })).status, 304);
  });

  it('lets no cache store and no other origin load what is not a course file, and sends no referrer from its page', async () => {
    for (const path of ['player/', 'attempt', 'none', 'content/%E0%A4%A']) {
      const { headers } = await fetch(`${client.base}/${path}`);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.match(headers.get('cache-control') ?? '', /no-store/, path);
      assert.deepEqual(
        [headers.get('referrer-policy'), headers.get('cross-origin-resource-policy')],
        ['no-referrer', 'same-origin'],
        path,
      );
    }
  });

  it('serves sixteen files to a connection that requests hundreds without waiting, then ends it', async () => {
    const { host, pathname } = new URL(`${client.base}/content/lesson/film.mp4`);
    const requestThat = (connection: string) =>
      `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\n\r\n`;
    const answers = await exchangeBytes(
      client.base,
      requestThat('keep-alive').repeat(349) + requestThat('close'),
    );
    const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    assert.deepEqual(statuses, [...Array.from({ length: 16 }, () => '200'), '429']);
    assert.equal((await file('lesson/film.mp4')).status, 200);
  });

  it('serves byte ranges of files, as video players request them', async () => {
    for (const [range, status, contentRange, body] of [
      ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
      ['bytes=7-', 206, 'bytes 7-9/10', '789'],
      ['bytes=-2', 206, 'bytes 8-9/10', '89'],
      ['bytes=8-99', 206, 'bytes 8-9/10', '89'],
      ['bytes=4-2', 200, null, '0123456789'],
      ['bytes=0-1,3-4', 200, null, '0123456789'],
    ] as const) {
      const answer = await file('lesson/film.mp4', { range });
      assert.deepEqual(
        [answer.status, answer.headers.get('content-range'), await answer.text()],
        [status, contentRange, body],
        range,
      );
    }
    const beyond = await file('lesson/film.mp4', { range: 'bytes=10-' });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */10']);
    const changed = await file('lesson/film.mp4', { range: 'bytes=2-4', 'if-range': '"another"' });
    assert.equal(changed.status, 200);
  });

  it('finds files as web servers and file systems do: with repeated slashes, and in each form of Unicode', async () => {
    const composed = encodeURI('lesson/décor.png'.normalize('NFC'));
    const decomposed = encodeURI('lesson/décor.png'.normalize('NFD'));
    assert.notEqual(composed, decomposed);
    const tags = new Set<string | null>();
    for (const path of [composed, decomposed, `/${composed}`, composed.replace('/', '//')]) {
      const answer = await file(path);
      assert.deepEqual([answer.status, await answer.text()], [200, 'decor'], path);
      tags.add(answer.headers.get('etag'));
    }
    assert.equal(tags.size, 1);
    const [tag] = tags;
    for (const path of [composed, decomposed]) {
      assert.equal((await file(path, { 'if-none-match': tag! })).status, 304);
      const part = await file(path, { range: 'bytes=1-2', 'if-range': tag! });
      assert.deepEqual([part.status, await part.text()], [206, 'ec'], path);
    }
    assert.equal((await file(encodeURI('lesson/ä.js'.normalize('NFD')))).status, 404);
    assert.equal((await file(encodeURI('lesson/a b#ä.js'.normalize('NFD')).replace('#', '%23'))).status, 200);
    assert.equal((await file('/lesson///index.html')).status, 200);
    assert.equal((await file('lesson//')).status, 200);
  });

  it('shows the learner which page the course does not have, and sends other readers a problem', async () => {
    const name = 'lesson/page <2>.html';
    const shown = await file(encodeURI(name), { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    assert.match(
      shown.headers.get('content-security-policy') ?? '',
      /default-src 'none'.*frame-ancestors 'self'/,
    );
    const page = await shown.text();
    assert.match(page, /This page is missing/);
    assert.match(page, /lesson\/page &lt;2&gt;\.html/);
    const fetched = await file(encodeURI(name), { accept: '*/*' });
    assert.deepEqual(
      [fetched.status, fetched.headers.get('content-type')],
      [404, 'application/problem+json'],
    );
  });

  it('answers HEAD with the header of the whole file, because ranges are for GET alone', async () => {
    for (const [path, headers, status, length] of [
      ['lesson/film.mp4', {}, 200, '10'],
      ['lesson/film.mp4', { range: 'bytes=2-4' }, 200, '10'],
      ['lesson/film.mp4', { range: 'bytes=10-' }, 200, '10'],
      ['lesson/film.mp4', { 'if-none-match': '*' }, 304, null],
      ['lesson/none.mp4', { 'if-none-match': '*' }, 404, null],
    ] as const) {
      const answer = await fetch(`${client.base}/content/${path}`, { method: 'HEAD', headers });
      const what = `${path} ${JSON.stringify(headers)}`;
      assert.equal(answer.status, status, what);
      if (length !== null) assert.equal(answer.headers.get('content-length'), length, what);
      assert.equal(answer.headers.get('content-range'), null, what);
      assert.equal(await answer.text(), '', what);
    }
  });

  it('serves nothing outside of the launched version', async () => {
    for (const path of [
      '/content/../../../../etc/passwd',
      '/content/..%2f..%2f..%2fetc/passwd',
      '/content/%2e%2e/%2e%2e/secret',
      '/content/lesson/..\\..\\secret',
      '/content//etc/passwd',
      '/content/lesson/index.html%00.js',
      '/content/%E0%A4%A',
      '/player/assets/../index.html',
      '/player/assets/..%2f..%2findex.html',
    ]) {
      assert.ok([400, 404].includes(await askRaw(client.base, contentPath() + path)), path);
    }
  });

  it('serves nothing for a token that was forged, truncated or made for another purpose', async () => {
    const token = contentPath().slice(1);
    const link = (await service.api.post(`/registrations/${registrationId}/launch`)).body.launch_url
      .split('/')
      .at(-1);
    const changed = token.at(-9) === 'A' ? 'B' : 'A';
    for (const other of [
      token.slice(0, -1),
      `${token.slice(0, -9)}${changed}${token.slice(-8)}`,
      link,
      service.api.token,
      'x',
      '',
    ]) {
      for (const path of ['/content/lesson/index.html', '/player/', '/player/assets/index.js']) {
        assert.equal(await askRaw(client.base, `/${other}${path}`), 410, other.slice(0, 8) + path);
      }
    }
    const page = await fetch(`${service.service.contentUrl}/forged/player/`, {
      headers: { accept: 'text/html' },
    });
    assert.equal(page.status, 404);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.match(await page.text(), /This link is not valid/);
  });

  it('rejects service workers, which would outlive the launch', async () => {
    const answer = await file('lesson/index.html', { 'service-worker': 'script' });
    assert.equal(answer.status, 403);
  });

  it('serves nothing of the API or the admin UI but health checks without details, and the other port serves nothing of courses', async () => {
    const { contentUrl } = service.service;
    const authorization = `Bearer ${service.api.token}`;
    for (const path of [
      '/',
      '/accounts',
      '/registrations',
      '/ui/',
      '/public/v1/auth',
      '/metrics',
      '/health/',
    ]) {
      const answer = await fetch(contentUrl + path, { headers: { authorization }, redirect: 'manual' });
      assert.ok([404, 410].includes(answer.status), `${path}: ${answer.status}`);
    }
    for (const path of ['/health/live', '/health/ready']) {
      assert.deepEqual(await (await fetch(contentUrl + path)).json(), { status: 'ok' }, path);
    }
    for (const path of ['/content/lesson/index.html', '/player/']) {
      assert.equal((await fetch(service.url + contentPath() + path)).status, 404, path);
    }
  });

  it('serves files until the launch ends, even after its link has expired', async () => {
    const own = await registerTo(service, FILES);
    const { body } = await service.api.post(`/registrations/${own.registrationId}/launch`);
    clock.pass(8 * HOUR_MS - 1);
    const late = await followLink(body.launch_url);
    clock.pass(12 * HOUR_MS - 1);
    assert.equal((await late.post('open')).status, 200);
    clock.pass(1);
    const { status, body: over } = await late.post('open');
    assert.deepEqual(
      [status, over.type, over.reason],
      [410, 'urn:coursewire:problem:launch-over', 'expired'],
    );
    const page = await fetch(`${late.base}/player/`, { headers: { accept: 'text/html' } });
    const text = await page.text();
    assert.match(text, /This link has expired/);
    assert.match(text, /this browser: it may keep work of yours that is not saved yet/);
  });

  it('serves nothing after the registration was deleted', async () => {
    const own = await registerTo(service, FILES);
    const gone = await startLaunch(service, own.registrationId);
    await gone.open();
    await gone.openUnit('i1');
    await service.api.delete(`/registrations/${own.registrationId}`);
    assert.ok([404, 410].includes((await gone.commit('i1', {})).status));
    clock.pass(60_000);
    assert.equal((await gone.post('open')).status, 410);
  });
});

describe('a content origin for each registration', () => {
  it('serves the launches of a registration, and each preview, only under its own host name', async () => {
    await using service = await startTestService({
      settings: { content_base_url: 'https://{launch}.content.example' },
    });
    const opened = async (link: string) => {
      const answer = await fetch(link, { redirect: 'manual' });
      const { host, pathname } = new URL(answer.headers.get('location') ?? link);
      assert.match(host, /^[0-9a-f]{32}\.content\.example$/);
      return { host, pathname };
    };
    const ann = await registerTo(service, FILES);
    const bob = await registerTo(service, FILES, 'bob@example.com');
    const linkOf = async ({ registrationId }: { registrationId: string }) =>
      (await service.api.post(`/registrations/${registrationId}/launch`)).body.launch_url;
    const first = await opened(await linkOf(ann));
    const second = await opened(await linkOf(ann));
    const others = await opened(await linkOf(bob));
    const preview = async () =>
      new URL((await service.api.post(`/courses/${ann.courseId}/versions/0/preview`)).body.preview_url).host;
    assert.equal(second.host, first.host);
    assert.notEqual(second.pathname, first.pathname);
    const hosts = [first.host, others.host, await preview(), await preview()];
    assert.equal(new Set(hosts).size, hosts.length);
    const port = service.logLines.find(({ contentUrl }) => contentUrl !== undefined)?.contentPort;
    const origin = `http://127.0.0.1:${port}`;
    for (const { pathname } of [first, second]) {
      assert.equal(await askRaw(origin, pathname, { host: first.host }), 200);
      assert.equal(await askRaw(origin, pathname, { host: `${first.host.toUpperCase()}:8443` }), 200);
      for (const host of [others.host, 'content.example', 'localhost']) {
        assert.equal(await askRaw(origin, pathname, { host }), 410, host);
      }
    }
  });
});
