import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AUDIT_ACTION_NAMES } from '../../src/audit/actions.ts';
import { LONG_RETRIES } from '../delivery/webhook-helpers.ts';
import { collectRoutes, nameOf } from '../identity/administrators/collected-routes.ts';
import { createAdministrator, signedInBrowser } from '../support/administration.ts';
import { startTestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { ELSEWHERE, RECORDED_ROUTES, UNRECORDED_ROUTES } from './recorded-routes.ts';
import { ROUTE_CALLS, type World } from './route-calls.ts';

/** Methods that change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

describe('the audit log, of every change', () => {
  let world: World;
  let target: Target;
  let changing: string[];

  before(async () => {
    target = await startTarget({ respondWith: answer(503) });
    const collected = collectRoutes();
    const service = await startTestService({ settings: LONG_RETRIES });
    collected.stop();
    changing = collected.routes.filter(({ method }) => !SAFE.includes(method)).map(nameOf);
    await createAdministrator(service.settings.data_dir);
    world = { service, ann: await signedInBrowser(service.url), brokenUrl: target.url };
  });
  after(async () => {
    await world.service.stop();
    await target[Symbol.asyncDispose]();
  });

  it('is decided for every route that can change something, and for nothing else', () => {
    const decided = [...RECORDED_ROUTES.map(({ route }) => route), ...UNRECORDED_ROUTES.keys()];
    assert.deepEqual(decided.sort(), changing.sort());
  });

  it('has every action from a route, or from somewhere that is stated', () => {
    const actions = [...RECORDED_ROUTES.map(({ action }) => action), ...Object.keys(ELSEWHERE)];
    assert.deepEqual([...new Set(actions)].sort(), [...AUDIT_ACTION_NAMES].sort());
  });

  for (const { route, action } of RECORDED_ROUTES) {
    it(`records ${action} of ${route}, with who did it`, async () => {
      const prepare = ROUTE_CALLS[route];
      assert.ok(prepare !== undefined, 'test/audit/route-calls.ts has no call of this route');
      const call = await prepare(world);
      const entries = async () => (await world.service.api.get('/audit-log?limit=10')).body.data;
      const [newest] = await entries();
      const { status, body } = await call();
      assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
      const recorded = (await entries()).filter(({ id }: { id: number }) => id > (newest?.id ?? 0));
      assert.deepEqual(
        recorded.map((entry: { action: string; actor: { type: string } }) => [
          entry.action,
          entry.actor.type,
        ]),
        [[action, 'ADMINISTRATOR']],
      );
    });
  }
});
