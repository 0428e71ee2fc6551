import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTarget } from '../support/target.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { apiAttacks } from './api-attacks.ts';
import type { Attack } from './attack.ts';
import { beaconAttacks } from './beacon-attacks.ts';
import { Bystander } from './bystander.ts';
import { largeMessageAttacks } from './large-message-attacks.ts';
import { lastRequestAttacks } from './last-request-attacks.ts';
import { lrsAttacks } from './lrs-attacks.ts';
import { ManyRows } from './many-rows.ts';
import { networkAttacks } from './network-attacks.ts';
import { playerAttacks } from './player-attacks.ts';
import { sequencingAttacks } from './sequencing-attacks.ts';

/** How long the service's own work may block its event loop, in ms. */
const MAX_BUSY_MS = 100;
/**
 * How often an attack may be repeated. A real attack blocks the service each time. The first time may also compile
 * code, collect garbage, or coincide with work that an earlier attack left.
 */
const TRIES = 3;
/** Large quotas for the attacks, and long delays, so that no retry falls into another attack. */
const SETTINGS = {
  max_webhooks: 100_000,
  max_assets_per_call: 100_000,
  retry_initial_delay: 600,
  retry_max_delay: 600,
} as const;

/** Without attacks that differ from others only before the service reaches its database. */
function thoseOfDatabase(attacks: readonly Attack[]): Attack[] {
  const kept = attacks.filter(
    ({ stopsBeforeDatabase = false, queriesLike }) => !stopsBeforeDatabase && queriesLike === undefined,
  );
  const names = new Set(kept.map(({ name }) => name));
  for (const { name, queriesLike } of attacks)
    assert.ok(queriesLike === undefined || names.has(queriesLike), `${name}: ${queriesLike} is tried`);
  return kept;
}

describe('a service under every known attack', () => {
  test('never blocks its event loop for more than 100 ms, and serves others as usual', async (t) => {
    await using stack = new AsyncDisposableStack();
    const target = stack.use(await startTarget());
    const service = stack.use(await startWatchedService(SETTINGS));
    // Before any webhook matches its changes.
    const bystander = stack.use(await Bystander.create(service));
    const rows = stack.use(await ManyRows.open(service));
    // In this order, because ten thousand webhooks get a message about every account that is created after them.
    const byPlayers = [...(await playerAttacks(service)), ...(await beaconAttacks(service))];
    // These keep the process busy, and not the database.
    const computing = ON_POSTGRES
      ? []
      : [
          ...(await largeMessageAttacks(service, rows)),
          ...(await lrsAttacks(service, rows)),
          ...(await sequencingAttacks(service)),
          ...(await lastRequestAttacks(service)),
        ];
    // So are slow clients and bad targets.
    const byNetwork = ON_POSTGRES ? [] : await networkAttacks(service, rows, stack);
    const attacks = [...(await apiAttacks(service, rows, target)), ...byNetwork, ...byPlayers, ...computing];
    bystander.start();
    await bystander.assertServed();
    for (const { name, perform } of ON_POSTGRES ? thoseOfDatabase(attacks) : attacks) {
      await t.test(name, async () => {
        const tries: number[] = [];
        while (tries.length < TRIES && !tries.some((busy) => busy <= MAX_BUSY_MS)) {
          tries.push(await service.busyDuring(perform));
        }
        assert.ok(
          Math.min(...tries) <= MAX_BUSY_MS,
          `the event loop was busy for ${tries.map(Math.round)} ms`,
        );
        await bystander.assertServed();
      });
    }
    assert.equal((await service.api.get('/health/ready')).status, 200);
  });
});
