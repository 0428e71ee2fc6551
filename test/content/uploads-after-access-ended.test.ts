import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { FolderContentStore } from '../../src/content/files/folder-content-store.ts';
import { type Browser, createAdministrator, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ManualClock } from '../support/clock.ts';
import { createClient, requestToken, startTestService, type TestService, until } from '../support/service.ts';
import { filesOf, scormPackage } from './packages.ts';

const HOURS_MS = 3_600_000;
const HEAD =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="c.zip"\r\nContent-Type: application/zip\r\n\r\n';

describe('an upload during which its caller lost access', () => {
  const clock = new ManualClock(Date.now());
  let service: TestService;
  let admin: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
    await createAdministrator(service.settings.data_dir);
    admin = await signedInBrowser(service.url);
  });

  /** Begins an upload, does something while it is under way, and returns the response to the complete upload. */
  async function uploadDuring(headers: Record<string, string>, act: () => Promise<unknown>) {
    const upload = request(`${service.url}/courses`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
    });
    using _connection = { [Symbol.dispose]: () => void upload.destroy() };
    const response = once(upload, 'response') as Promise<[IncomingMessage]>;
    upload.write(HEAD);
    await until(() => filesOf(service).tmp.length === 1, 'the upload is under way');
    await act();
    upload.write(await scormPackage());
    upload.end('\r\n--b--\r\n');
    const [answer] = await response;
    return { status: answer.statusCode, body: JSON.parse(await text(answer)) };
  }

  const countCourses = async () => (await admin.get('/courses?limit=200')).body.data.length;

  async function newClient() {
    const client = await createClient(service.settings.data_dir);
    const token = await requestToken(service.url, client.clientId, client.clientSecret);
    return { path: `/ui/api/clients/${client.clientId}`, headers: { authorization: `Bearer ${token}` } };
  }

  async function newAdministrator(email: string) {
    const { id } = await createAdministrator(service.settings.data_dir, { email });
    const browser = await signedInBrowser(service.url, email);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    return { path: `/ui/api/administrators/${id}`, browser, headers: { cookie, origin: service.url } };
  }

  it('is refused once its client has been deleted', async () => {
    const { path, headers } = await newClient();
    const before = await countCourses();
    const answer = await uploadDuring(headers, async () =>
      assert.equal((await admin.delete(path)).status, 204),
    );
    assert.equal(answer.status, 401, JSON.stringify(answer.body));
    assert.equal(await countCourses(), before);
  });

  it('is refused once its client has been deleted, even if that was after its receipt', async ({ mock }) => {
    const { path, headers } = await newClient();
    const before = await countCourses();
    const { put } = FolderContentStore.prototype;
    mock.method(
      FolderContentStore.prototype,
      'put',
      async function (this: FolderContentStore, ...given: Parameters<typeof put>) {
        await put.apply(this, given);
        assert.equal((await admin.delete(path)).status, 204);
      },
    );
    const answer = await uploadDuring(headers, async () => {});
    assert.equal(answer.status, 401, JSON.stringify(answer.body));
    assert.equal(await countCourses(), before);
  });

  it('is refused once its client has lost the scope', async () => {
    const { path, headers } = await newClient();
    const { name, email } = (await admin.get(path)).body;
    const answer = await uploadDuring(headers, async () => {
      const changed = await admin.put(path, { name, email, enabled: true, scopes: ['content:read'] });
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
    });
    assert.equal(answer.status, 403, JSON.stringify(answer.body));
  });

  it('is refused once its administrator has been disabled, or has become a viewer', async () => {
    for (const [change, status] of [
      [{ enabled: false }, 401],
      [{ role: 'viewer' }, 403],
    ] as const) {
      const { path, headers } = await newAdministrator(`${status}@example.com`);
      const answer = await uploadDuring(headers, async () =>
        assert.equal((await admin.put(path, change)).status, 200),
      );
      assert.equal(answer.status, status, JSON.stringify(answer.body));
    }
  });

  it('is refused once its administrator has ended all sessions, also after its own had expired', async () => {
    const { browser, headers } = await newAdministrator('everywhere@example.com');
    const answer = await uploadDuring(headers, async () => {
      clock.pass(13 * HOURS_MS);
      assert.equal((await browser.signIn('everywhere@example.com')).status, 200);
      assert.equal((await browser.delete('/ui/api/sessions')).status, 204);
    });
    assert.equal(answer.status, 401, JSON.stringify(answer.body));
  });

  it('is accepted if its browser has signed in again after its session had expired', async () => {
    const { browser, headers } = await newAdministrator('again@example.com');
    const answer = await uploadDuring(headers, async () => {
      clock.pass(13 * HOURS_MS);
      assert.equal((await browser.get('/webhooks')).status, 401);
      assert.equal((await browser.signIn('again@example.com')).status, 200);
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  });

  it('is accepted if only its token or session has expired in the meantime', async () => {
    for (const newCaller of [newClient, () => newAdministrator('slow@example.com')]) {
      const { headers } = await newCaller();
      const answer = await uploadDuring(headers, async () => clock.pass(13 * HOURS_MS));
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    }
  });
});
