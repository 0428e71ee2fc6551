import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../src/time/units.ts';
import { manyTimes } from '../attacks/attack.ts';
import { launch, sql } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ManualClock } from '../support/clock.ts';
import { openDatabaseOf } from '../support/database.ts';
import { beginTransaction, countWaiting } from '../support/open-transaction.ts';
import { followLink, PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';

/** Launches of a registration that are all different. */
const FRESH_LAUNCHES = 100;
/** How many openings of a link are handled at once. */
const AT_ONCE = 4;

describe('a launch link that is opened again and again', () => {
  const clock = new ManualClock();
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({
        now: clock.now,
        settings: { access_token_lifetime: 30 * 24 * 3_600 },
      }),
    );
  });

  const countLaunches = async (registrationId: string) => {
    const text = 'select count(*) as count from player_launches where registration_id = ?';
    return Number((await sql<{ count: number }>(service, text, registrationId)).count);
  };
  const openOften = (url: string, times: number) => manyTimes(times, AT_ONCE, () => followLink(url));

  it('starts a launch each time, as a learner with several windows and a mail scanner need it', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const url = await launch(service, registrationId);
    const bases = new Set<string>();
    for (let n = 0; n < 20; n++) bases.add((await followLink(url)).base);
    assert.equal(bases.size, 20);
  });

  it('adds no launches without limit, and still opens the course', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const url = await launch(service, registrationId);
    const running = await followLink(url);
    await running.open();
    await running.openUnit('i1');
    await openOften(url, 3 * FRESH_LAUNCHES);
    const count = await countLaunches(registrationId);
    assert.ok(count >= FRESH_LAUNCHES && count < FRESH_LAUNCHES + AT_ONCE, `${count} launches`);
    const recorded = { outcome: 'recorded' };
    assert.deepEqual((await running.commit('i1', { suspend_data: 'kept' })).body, recorded);
    const latest = await followLink(url);
    await latest.open();
    assert.match(JSON.stringify(await latest.openUnit('i1')), /kept/);
    assert.deepEqual((await latest.commit('i1', { suspend_data: 'new' })).body, recorded);
    assert.equal((await running.commit('i1', { suspend_data: 'old' })).status, 409);
    const reopened = new PlayerClient((await followLink(url)).base);
    await reopened.open();
    await reopened.openUnit('i1');
    assert.deepEqual((await reopened.commit('i1', { suspend_data: 'newest' })).body, recorded);
    assert.equal((await latest.commit('i1', { suspend_data: 'old' })).status, 409);
  });

  it('shares only launches of the same mode and return URL, which last almost as long as any', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const path = `/registrations/${registrationId}/launch`;
    const url = await launch(service, registrationId);
    await openOften(url, FRESH_LAUNCHES);
    const { base } = await followLink(url);
    assert.equal((await followLink(url)).base, base);
    const links = [{ mode: 'review' }, { return_url: 'https://portal.example/' }];
    for (const input of links) {
      const other = (await service.api.post(path, input)).body.launch_url as string;
      const first = await followLink(other);
      assert.notEqual(first.base, base);
      assert.equal((await followLink(other)).base, first.base);
      const { mode = 'normal', return_url = null } = input as { mode?: string; return_url?: string };
      const page = await first.open();
      assert.deepEqual([page.mode, page.returnUrl], [mode, return_url]);
    }
    const { registrationId: other } = await registerTo(service, scorm12Course(), 'bob@example.com');
    assert.notEqual((await startLaunch(service, other)).base, (await startLaunch(service, other)).base);
    clock.pass(2 * HOUR_MS);
    const later = await followLink(url);
    assert.notEqual(later.base, base);
    clock.pass(11 * HOUR_MS);
    await later.open();
  });

  it('shares the launch that lasts longest', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const url = await launch(service, registrationId);
    await openOften(url, FRESH_LAUNCHES - 1);
    clock.pass(HOUR_MS);
    const { base } = await followLink(url);
    assert.equal((await followLink(url)).base, base);
  });

  it('leaves the database to others while many of its openings wait', { skip: !ON_POSTGRES }, async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const url = await launch(service, registrationId);
    const { registrationId: other } = await registerTo(service, scorm12Course());
    const leaving = new AbortController();
    await using database = await openDatabaseOf(service.settings.data_dir);
    const change = await beginTransaction(database);
    const lock = 'select 1 from registrations where registration_id = ? for update';
    await change.tx.all(lock, registrationId);
    const left = Array.from({ length: 50 }, () => fetch(url, { signal: leaving.signal }).catch(() => null));
    const opened = Array.from({ length: 50 }, () => followLink(url));
    try {
      await until(async () => (await countWaiting(database)) >= AT_ONCE, 'some wait for the change');
      await (await startLaunch(service, other)).open();
      assert.equal(await countWaiting(database), AT_ONCE);
      leaving.abort();
      await Promise.all(left);
    } finally {
      await change.commit();
    }
    assert.equal(new Set((await Promise.all(opened)).map(({ base }) => base)).size, opened.length);
    const count = await countLaunches(registrationId);
    assert.ok(count <= opened.length + AT_ONCE, `${count} launches`);
  });
});
