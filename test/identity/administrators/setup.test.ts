import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../../src/time/units.ts';
import { Browser, createAdministrator, PASSWORD, signedInBrowser } from '../../support/administration.ts';
import { openDatabaseOf } from '../../support/database.ts';
import { startTestService, type TestService, temporaryFolder } from '../../support/service.ts';
import { startProcess } from '../../support/service-process.ts';

/** A service at its first start, with the one-time link from its log. */
async function startAnnounced(options: Parameters<typeof startTestService>[0] = {}) {
  const announced: string[] = [];
  const service = await startTestService({ ...options, announce: (text) => void announced.push(text) });
  return { service, announced, tokens: announced.map(tokenIn) };
}

function tokenIn(text: string): string {
  const token = /\/ui\/setup#token=([\w-]{43})\s/.exec(`${text} `)?.[1];
  assert.ok(token !== undefined, text);
  return token;
}

function setUp(service: TestService, token: string, more: object = {}) {
  const browser = new Browser(service.url);
  return browser.post('/ui/api/setup', {
    token,
    email: 'first@example.com',
    name: 'First',
    password: PASSWORD,
    ...more,
  });
}

/** Reads the invitation of a link. */
function readLink(browser: Browser, token: string | undefined) {
  return browser.post('/ui/api/setup/link', { token });
}

describe('the first start', () => {
  test('shows a link only to whoever starts the service, not in the log or in a response', async () => {
    const { service, announced, tokens } = await startAnnounced();
    await using _service = service;
    assert.equal(announced.length, 1);
    assert.ok(announced[0]!.includes(`${service.url}/ui/setup#token=`));
    const asked = await new Browser(service.url).get('/ui/api/session');
    assert.equal(asked.status, 401);
    assert.equal(asked.body.setup_required, true);
    for (const text of [JSON.stringify(asked.body), JSON.stringify(service.logLines)]) {
      assert.ok(!text.includes(tokens[0]!));
    }
  });

  test('prints the link to standard error, and only the log to standard output', async () => {
    using folder = temporaryFolder();
    await using process = await startProcess({
      data_dir: folder.path,
      base_url: 'https://wire.example.com/a',
    });
    await process.end('SIGTERM');
    const text = await process.errorText;
    assert.match(text, /There is no administrator yet\./);
    assert.match(text, /^ {2}https:\/\/wire\.example\.com\/a\/ui\/setup#token=[\w-]{43}$/m);
    assert.ok(!JSON.stringify(process.logLines).includes(tokenIn(text)));
  });

  test('the link creates the first administrator and signs them in', async () => {
    const { service, tokens } = await startAnnounced();
    await using _service = service;
    const [token] = tokens;
    const browser = new Browser(service.url);
    const found = await readLink(browser, token);
    assert.deepEqual(found.body, { email: null, name: null, role: 'admin', has_password: false });
    const made = await browser.post('/ui/api/setup', {
      token,
      email: 'First@Example.com',
      name: 'First',
      password: PASSWORD,
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const { email, name, role } = made.body.administrator;
    assert.deepEqual([email, name, role], ['First@Example.com', 'First', 'admin']);
    const list = await browser.get('/ui/api/administrators');
    assert.equal(list.status, 200);
    assert.notEqual(list.body.data[0].last_sign_in_dt, null, 'choosing a password signs in');
    assert.equal('setup_required' in (await new Browser(service.url).get('/ui/api/session')).body, false);

    assert.equal((await setUp(service, token!)).status, 404, 'it works once');
    assert.equal((await readLink(browser, token)).status, 404);
    assert.equal((await new Browser(service.url).signIn('first@example.com')).status, 200);
  });

  test('the link works only once when many use it at the same time', async () => {
    const { service, tokens } = await startAnnounced();
    await using _service = service;
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => setUp(service, tokens[0]!, { email: `a${at}@example.com` })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
  });

  test('the link survives rejected requests, and every fault is named', async () => {
    const { service, tokens } = await startAnnounced();
    await using _service = service;
    const refused = await setUp(service, tokens[0]!, { email: 'x', name: '\u202e', password: 'short' });
    assert.equal(refused.status, 400);
    assert.deepEqual(
      refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/email', '/password'],
    );
    assert.equal((await setUp(service, tokens[0]!, { email: null })).status, 400);
    assert.equal((await setUp(service, tokens[0]!, { name: null })).status, 400);
    const own = await setUp(service, tokens[0]!, { password: 'FIRST@example.com' });
    assert.equal(own.body.errors[0].detail, 'must not be the e-mail address');
    assert.equal((await setUp(service, tokens[0]!)).status, 200);
  });

  test('each start without an administrator creates a new link, and only the newest works', async () => {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    const first = await startAnnounced({ dataDir });
    await first.service.stop();
    const second = await startAnnounced({ dataDir });
    await using service = second.service;
    assert.equal((await setUp(service, first.tokens[0]!)).status, 404);
    assert.equal((await setUp(service, second.tokens[0]!)).status, 200);
  });

  test('a start with an administrator shows no link', async () => {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    const first = await startAnnounced({ dataDir });
    assert.equal((await setUp(first.service, first.tokens[0]!)).status, 200);
    await first.service.stop();
    const second = await startAnnounced({ dataDir });
    await second.service.stop();
    assert.deepEqual(second.announced, []);
  });

  test('the link ends after 24 hours, and once an administrator is created another way', async () => {
    let time = Date.now();
    const { service, tokens } = await startAnnounced({ now: () => time });
    await using _service = service;
    time += 24 * HOUR_MS - 1;
    assert.equal((await readLink(new Browser(service.url), tokens[0])).status, 200);
    await createAdministrator(service.settings.data_dir);
    assert.equal((await readLink(new Browser(service.url), tokens[0])).status, 404);
    assert.equal((await setUp(service, tokens[0]!)).status, 404);
    await using database = await openDatabaseOf(service.settings.data_dir);
    await database.transaction((tx) => tx.run('delete from administrators'));
    assert.equal((await readLink(new Browser(service.url), tokens[0])).status, 200);
    time += 1;
    assert.equal((await readLink(new Browser(service.url), tokens[0])).status, 404);
    assert.equal((await setUp(service, tokens[0]!)).status, 404);
  });

  test('an invalid token is not found', async () => {
    const { service } = await startAnnounced();
    await using _service = service;
    const browser = new Browser(service.url);
    for (const token of ['', 'x', 'A'.repeat(43), `${'A'.repeat(42)}%00`, "'--"]) {
      assert.equal((await readLink(browser, token)).status, 404, token);
    }
    assert.equal((await browser.post('/ui/api/setup/link', {})).status, 400);
    assert.equal((await readLink(browser, 'A'.repeat(101))).status, 400);
  });

  test('accepts no token in the URL, which proxies log', async () => {
    const { service, tokens } = await startAnnounced();
    await using _service = service;
    for (const path of ['/ui/api/setup', '/ui/api/setup/link']) {
      const answer = await new Browser(service.url).get(`${path}?token=${tokens[0]}`);
      assert.equal(answer.status, 404, path);
    }
  });

  test('accepts the link only from the service’s own pages', async () => {
    const { service, tokens } = await startAnnounced();
    await using _service = service;
    const browser = new Browser(service.url);
    browser.origin = 'http://evil.example';
    const answer = await browser.post('/ui/api/setup', { token: tokens[0], password: PASSWORD });
    assert.equal(answer.status, 403);
    assert.equal((await setUp(service, tokens[0]!)).status, 200);
  });
});

describe('an invitation', () => {
  test('is returned once, and lets the person set a password with the given role', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    const input = { email: 'vic@example.com', role: 'viewer', name: 'V.' };
    const invited = await admin.post('/ui/api/administrators', input);
    assert.equal(invited.status, 201);
    assert.ok(invited.body.invitation_url.startsWith(`${service.url}/ui/setup#token=`));
    const token = tokenIn(invited.body.invitation_url);
    assert.ok(!JSON.stringify((await admin.get('/ui/api/administrators')).body).includes(token));

    const browser = new Browser(service.url);
    const found = await readLink(browser, token);
    assert.deepEqual(found.body, { ...input, has_password: false });
    const otherAddress = await setUp(service, token, { email: 'admin@example.com' });
    assert.equal(otherAddress.body.errors[0].pointer, '/email');
    const done = await browser.post('/ui/api/setup', { token, name: 'Vic', password: PASSWORD });
    assert.equal(done.status, 200);
    assert.equal(done.body.administrator.role, 'viewer');
    const [, record] = (await admin.get('/ui/api/administrators')).body.data;
    assert.deepEqual([record.name, record.invited], ['Vic', false]);
  });

  test('can be used for 7 days', async () => {
    const invitedAt = Date.now();
    let time = invitedAt;
    await using service = await startTestService({ now: () => time });
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    const { body } = await admin.post('/ui/api/administrators', { email: 'vic@example.com', role: 'viewer' });
    const endsAt = invitedAt + 7 * 24 * HOUR_MS;
    const again = (await admin.post(`/ui/api/administrators/${body.id}/link`)).body;
    for (const link of [body, again]) assert.equal(Date.parse(link.invitation_expires_dt), endsAt);
    const token = tokenIn(again.invitation_url);
    time = invitedAt + 7 * 24 * HOUR_MS - 1;
    assert.equal((await readLink(new Browser(service.url), token)).status, 200);
    time += 1;
    assert.equal((await readLink(new Browser(service.url), token)).status, 404);
  });

  test('replaces the previous one, and does not exist for someone who has a password', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    const invite = async (role: string) =>
      await admin.post('/ui/api/administrators', { email: 'Vic@example.com', role });
    const first = await invite('viewer');
    const path = `/ui/api/administrators/${first.body.id}`;
    assert.equal((await admin.put(path, { role: 'viewer', enabled: false, name: null })).status, 200);
    const second = await invite('admin');
    assert.deepEqual([second.body.id, second.body.enabled], [first.body.id, true]);
    assert.equal((await setUp(service, tokenIn(first.body.invitation_url))).status, 404);
    const token = tokenIn(second.body.invitation_url);
    const made = await setUp(service, token, { email: 'vic@EXAMPLE.com' });
    assert.equal(made.body.administrator.role, 'admin');
    assert.equal((await invite('viewer')).status, 409);
  });

  test('ends when its administrator is deleted or disabled, also if they are enabled again', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    for (const end of ['delete', 'disable'] as const) {
      const invited = await admin.post('/ui/api/administrators', {
        email: `${end}@example.com`,
        role: 'admin',
      });
      const path = `/ui/api/administrators/${invited.body.id}`;
      const ended =
        end === 'delete'
          ? await admin.delete(path)
          : await admin.put(path, { role: 'admin', enabled: false, name: null });
      assert.ok(ended.status < 300, JSON.stringify(ended.body));
      const token = tokenIn(invited.body.invitation_url);
      assert.equal((await setUp(service, token, { email: undefined })).status, 404);
      if (end === 'delete') continue;
      assert.equal((await admin.put(path, { role: 'admin', enabled: true, name: null })).status, 200);
      assert.equal((await setUp(service, token, { email: undefined })).status, 404);
    }
  });
});

describe('a link to set a new password', () => {
  test('keeps the current password until it is used, then ends that and all sessions', async () => {
    await using service = await startTestService();
    const { data_dir: dataDir } = service.settings;
    await createAdministrator(dataDir);
    await createAdministrator(dataDir, { email: 'vic@example.com', role: 'viewer' });
    const admin = await signedInBrowser(service.url);
    const vic = await signedInBrowser(service.url, 'vic@example.com');
    const { id } = (await vic.get('/ui/api/session')).body.administrator;
    const link = await admin.post(`/ui/api/administrators/${id}/link`);
    assert.equal(link.status, 200);
    assert.equal((await vic.get('/ui/api/session')).status, 200);
    const token = tokenIn(link.body.invitation_url);
    assert.equal((await readLink(new Browser(service.url), token)).body.has_password, true);
    const password = 'another long password';
    const done = await new Browser(service.url).post('/ui/api/setup', { token, password });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.equal(done.body.administrator.name, 'Ann');
    assert.equal((await vic.get('/ui/api/session')).status, 401);
    assert.equal((await vic.signIn('vic@example.com', PASSWORD)).status, 401);
    assert.equal((await vic.signIn('vic@example.com', password)).status, 200);
    assert.equal((await admin.post('/ui/api/administrators/999/link')).status, 404);
  });

  test('ends when the current password is changed, so that nobody can undo the change with it', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    const { id } = (await admin.get('/ui/api/session')).body.administrator;
    const token = tokenIn((await admin.post(`/ui/api/administrators/${id}/link`)).body.invitation_url);
    const change = { current_password: PASSWORD, new_password: `${PASSWORD} 2` };
    assert.equal((await admin.put('/ui/api/password', change)).status, 204);
    const stranger = new Browser(service.url);
    assert.equal((await stranger.post('/ui/api/setup/link', { token })).status, 404);
    assert.equal((await stranger.post('/ui/api/setup', { token, password: `${PASSWORD} 3` })).status, 404);
  });
});
