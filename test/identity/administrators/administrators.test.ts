import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { COMMAND_LINE } from '../../../src/audit/actor.ts';
import { ProblemError } from '../../../src/problems/problem.ts';
import {
  ADMIN_EMAIL,
  administratorServicesOn,
  type Browser,
  createAdministrator,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../../support/administration.ts';
import { breakTable, openDatabaseOf, openTestDatabase } from '../../support/database.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe('administrators', () => {
  let service: TestService;
  let admin: Browser;
  let adminPath: string;
  let viewer: Browser;
  let viewerPath: string;

  beforeEach(async () => {
    service = await startTestService();
    const { data_dir: dataDir } = service.settings;
    adminPath = `/ui/api/administrators/${(await createAdministrator(dataDir)).id}`;
    const made = await createAdministrator(dataDir, { email: VIEWER_EMAIL, role: 'viewer', name: 'Vic' });
    viewerPath = `/ui/api/administrators/${made.id}`;
    admin = await signedInBrowser(service.url);
    viewer = await signedInBrowser(service.url, VIEWER_EMAIL);
  });
  afterEach(() => service.stop());

  test('are listed without anything that could sign someone in', async () => {
    const { data } = (await admin.get('/ui/api/administrators')).body;
    assert.equal(data.length, 2);
    for (const record of data) {
      assert.deepEqual(Object.keys(record), [
        'id',
        'email',
        'name',
        'role',
        'enabled',
        'invited',
        'created_dt',
        'last_sign_in_dt',
      ]);
      assert.equal(record.invited, false);
      assert.ok(Date.parse(record.last_sign_in_dt) >= Date.parse(record.created_dt));
    }
  });

  test('are not said to be changed in the log if the change is rolled back', async () => {
    await using database = await openDatabaseOf(service.settings.data_dir);
    const broken = await breakTable(database, 'audit_entries', 'insert');
    const invited = await admin.post('/ui/api/administrators', { email: 'n@example.com', role: 'viewer' });
    const changed = await admin.put(viewerPath, { role: 'admin', enabled: true, name: 'Vic' });
    const linked = await admin.post(`${viewerPath}/link`);
    await broken[Symbol.asyncDispose]();
    assert.deepEqual([invited.status, changed.status, linked.status], [500, 500, 500]);
    const log = () => JSON.stringify(service.logLines);
    const since = log().length;
    assert.doesNotMatch(log(), /was invited|was changed|link was created/);
    await admin.put(viewerPath, { role: 'admin', enabled: true, name: 'Vic' });
    assert.match(log().slice(since - 1), /an administrator was changed/);
  });

  test('have unique addresses, ignoring case', async () => {
    const again = await admin.post('/ui/api/administrators', { email: 'VIC@example.com', role: 'admin' });
    assert.equal(again.status, 409);
    assert.equal((await viewer.get('/ui/api/session')).body.administrator.role, 'viewer');
  });

  test('a change of role applies to sessions from the next request on', async () => {
    assert.equal((await viewer.get('/ui/api/clients')).status, 403);
    const changed = await admin.put(viewerPath, { role: 'admin', enabled: true, name: 'Victor' });
    assert.equal(changed.status, 200);
    assert.deepEqual([changed.body.role, changed.body.name], ['admin', 'Victor']);
    assert.equal((await viewer.get('/ui/api/clients')).status, 200);
    assert.equal((await admin.put(viewerPath, { role: 'viewer', enabled: true, name: 'Vic' })).status, 200);
    assert.equal((await viewer.get('/ui/api/clients')).status, 403);
  });

  test('disabling ends sessions at once and for good, and prevents signing in until it is undone', async () => {
    await admin.put(viewerPath, { role: 'viewer', enabled: false, name: 'Vic' });
    assert.equal((await viewer.get('/ui/api/session')).status, 401);
    assert.equal((await viewer.signIn(VIEWER_EMAIL)).status, 401);
    await admin.put(viewerPath, { role: 'viewer', enabled: true, name: 'Vic' });
    assert.equal((await viewer.get('/ui/api/session')).status, 401);
    assert.equal((await viewer.signIn(VIEWER_EMAIL)).status, 200);
  });

  test('who are disabled get no link, which would not work', async () => {
    await admin.put(viewerPath, { enabled: false });
    const refused = await admin.post(`${viewerPath}/link`);
    assert.deepEqual([refused.status, refused.body.type], [409, 'urn:coursewire:problem:conflict']);
    await admin.put(viewerPath, { enabled: true });
    assert.equal((await admin.post(`${viewerPath}/link`)).status, 200);
  });

  test('deleting ends sessions at once', async () => {
    assert.equal((await admin.delete(viewerPath)).status, 204);
    assert.equal((await viewer.get('/ui/api/session')).status, 401);
    assert.equal((await viewer.signIn(VIEWER_EMAIL)).status, 401);
    assert.equal((await admin.delete(viewerPath)).status, 404);
  });

  test('the last enabled admin cannot be disabled or made a viewer, and nobody can delete themselves', async () => {
    // Someone who has not accepted the invitation does not count as an administrator.
    await admin.post('/ui/api/administrators', { email: 'invited@example.com', role: 'admin' });
    for (const change of [
      { role: 'viewer', enabled: true, name: 'Ann' },
      { role: 'admin', enabled: false, name: 'Ann' },
    ]) {
      assert.equal((await admin.put(adminPath, change)).status, 409);
    }
    assert.equal((await admin.put(adminPath, { role: 'admin', enabled: true, name: 'Anna' })).status, 200);
    assert.equal((await admin.delete(adminPath)).status, 409);

    await admin.put(viewerPath, { role: 'admin', enabled: true, name: 'Vic' });
    assert.equal((await admin.delete(adminPath)).status, 409, 'not oneself, also with another admin');
    assert.equal((await viewer.delete(adminPath)).status, 204);
    assert.equal((await viewer.put(viewerPath, { role: 'viewer', enabled: true, name: 'V' })).status, 409);
  });

  test('malformed input is rejected and named', async () => {
    for (const [method, path, body, pointers] of [
      ['POST', '/ui/api/administrators', { email: 'x', role: 'admin' }, ['/email']],
      ['POST', '/ui/api/administrators', { email: 'x@y.z', role: 'owner' }, ['/role']],
      ['POST', '/ui/api/administrators', {}, ['/email', '/role']],
      [
        'POST',
        '/ui/api/administrators',
        { email: 'x', role: 'owner', name: ' ' },
        ['/role', '/name', '/email'],
      ],
      ['PUT', viewerPath, { role: 'owner', enabled: 'yes' }, ['/role', '/enabled']],
      ['PUT', viewerPath, { role: 'viewer', enabled: true, name: '' }, ['/name']],
      ['PUT', viewerPath, { role: 'viewer', enabled: true, password: 'x' }, ['/password']],
    ] as const) {
      const answer = await admin.call(method, path, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      const found = new Set(answer.body.errors.map((error: { pointer: string }) => error.pointer));
      assert.deepEqual([...found], pointers);
    }
    for (const id of ['0', '-1', 'x', '99999999999999999999']) {
      const path = `/ui/api/administrators/${id}`;
      assert.equal((await admin.delete(path)).status, 404, id);
    }
  });

  test('members that a change omits stay as they are', async () => {
    const before = (await admin.put(viewerPath, { role: 'viewer', enabled: true, name: 'Vic' })).body;
    for (const change of [{ name: 'Victor' }, { role: 'integrator' }, { enabled: false }, {}]) {
      const { status, body } = await admin.put(viewerPath, change);
      assert.equal(status, 200);
      assert.deepEqual(body, Object.assign(before, change));
    }
    await admin.put(viewerPath, { role: 'viewer', enabled: true });
  });

  test('names are returned unchanged', async () => {
    const name = '<img src=x onerror=alert(1)> "Zoë"';
    await admin.put(viewerPath, { role: 'viewer', enabled: true, name });
    assert.equal((await viewer.get('/ui/api/session')).body.administrator.name, name);
  });

  test('every change is logged with the id, without addresses, passwords or tokens', async () => {
    const invited = await admin.post('/ui/api/administrators', { email: 'n@example.com', role: 'viewer' });
    await admin.put(viewerPath, { role: 'viewer', enabled: false, name: 'Vic' });
    await admin.delete(viewerPath);
    const lines = service.logLines.filter((line) => line.class === 'AdministratorService');
    for (const words of ['signed in', 'was invited', 'was changed', 'was deleted']) {
      assert.ok(
        lines.some(({ msg }) => msg.includes(words)),
        words,
      );
    }
    const text = JSON.stringify(service.logLines);
    const token = invited.body.invitation_url.split('=')[1];
    for (const secret of [
      token,
      ...admin.cookies.values(),
      ...viewer.cookies.values(),
      ADMIN_EMAIL,
      'argon2',
    ]) {
      assert.ok(!text.includes(secret), secret);
    }
  });
});

describe('two admins who demote each other at the same time', () => {
  test('leave one admin', async () => {
    await using owned = await openTestDatabase();
    const { administrators: first } = administratorServicesOn(owned.database);
    const { administrators: second } = administratorServicesOn(owned.open());
    for (let round = 0; round < 5; round++) {
      await owned.database.transaction(async (tx) => {
        await tx.run('delete from administrators');
        for (const [id, email] of [
          [2 * round + 1, 'a@b.c'],
          [2 * round + 2, 'b@b.c'],
        ] as const) {
          await tx.run(
            `insert into administrators (id, email, email_key, role, enabled, password_hash, created_at)
             values (?, ?, ?, 'admin', 1, 'x', 0)`,
            id,
            email,
            email,
          );
        }
      });
      const results = await Promise.allSettled([
        first.update(2 * round + 1, { role: 'viewer' }, COMMAND_LINE),
        second.update(2 * round + 2, { enabled: false }, COMMAND_LINE),
      ]);
      const refused = results.filter((result) => result.status === 'rejected');
      assert.equal(refused.length, 1);
      assert.ok(refused[0]!.reason instanceof ProblemError && refused[0]!.reason.code === 'conflict');
    }
  });
});
