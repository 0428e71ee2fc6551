import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL, Browser, createAdministrator, PASSWORD } from '../../support/administration.ts';
import { openDatabaseOf } from '../../support/database.ts';
import { type Answer, startTestService } from '../../support/service.ts';

// Runs on SQLite alone: responses and log lines contain the same on every database.

const NEXT_PASSWORD = 'the password after that';
const WRONG_PASSWORD = 'a password that is wrong';

/** A browser that keeps all responses. Cookies occur only in header fields. */
class WatchedBrowser extends Browser {
  readonly answers: Answer[] = [];
  readonly tokens: string[] = [];

  override async call(...args: Parameters<Browser['call']>): Promise<Answer> {
    const answer = await super.call(...args);
    this.answers.push(answer);
    this.tokens.push(...this.lastCookies.map((cookie) => cookie.split(/[=;]/)[1] ?? '').filter(Boolean));
    return answer;
  }
}

test('no response or log line contains a password, a hash or a token, except the response that issues it', async () => {
  await using service = await startTestService({ settings: { log_level: 'trace' } });
  const { data_dir: dataDir } = service.settings;
  await createAdministrator(dataDir);
  const browser = new WatchedBrowser(service.url);
  await browser.signIn(ADMIN_EMAIL, WRONG_PASSWORD);
  await browser.signIn();
  const client = await browser.post('/ui/api/clients', { name: 'c', email: 'c@example.com', scopes: [] });
  const invited = await browser.post('/ui/api/administrators', { email: 'v@example.com', role: 'viewer' });
  const shownOnce = [client.body.client_secret, invited.body.invitation_url.split('=')[1]];
  browser.answers.length = 0;

  const setup = { token: shownOnce[1], name: 'V', password: 'too short' };
  await browser.post('/ui/api/setup', setup);
  await browser.post('/ui/api/setup/link', { token: shownOnce[1] });
  await browser.put('/ui/api/password', { current_password: WRONG_PASSWORD, new_password: NEXT_PASSWORD });
  await browser.put('/ui/api/password', { current_password: PASSWORD, new_password: ADMIN_EMAIL });
  await browser.put('/ui/api/password', { current_password: PASSWORD, new_password: NEXT_PASSWORD });
  await browser.put(`/ui/api/clients/${client.body.client_id}`, {
    name: 'd',
    email: 'c@example.com',
    scopes: [],
    enabled: false,
  });
  await browser.put(`/ui/api/administrators/${invited.body.id}`, { role: 'admin', enabled: true });
  for (const path of ['session', 'sessions', 'administrators', 'clients', 'nothing']) {
    await browser.get(`/ui/api/${path}`);
  }
  await browser.delete(`/ui/api/administrators/${invited.body.id}`);
  await browser.delete('/ui/api/sessions');
  await browser.get('/ui/api/session');

  await using database = await openDatabaseOf(dataDir);
  const rows = await database.reader.all<{ password_hash: string }>(
    'select password_hash from administrators',
  );
  assert.match(rows[0]?.password_hash ?? '', /^\$argon2id\$/);
  const secrets = [
    PASSWORD,
    NEXT_PASSWORD,
    WRONG_PASSWORD,
    'argon2',
    '_hash',
    ...shownOnce,
    ...browser.tokens,
  ];
  assert.ok(secrets.length >= 10);
  const answered = JSON.stringify(browser.answers.map(({ body }) => body));
  const logged = JSON.stringify(service.logLines);
  for (const secret of secrets) {
    assert.ok(!answered.includes(secret), `an answer holds ${secret}`);
    assert.ok(!logged.includes(secret), `the log holds ${secret}`);
  }
});
