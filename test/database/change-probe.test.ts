import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeProbe } from '../../src/database/change-probe.ts';
import { openTestDatabase } from '../support/database.ts';

it('a probe makes a change each time, even if an instance was killed during its own', async () => {
  await using opened = await openTestDatabase();
  const { database } = opened;
  const probe = () => database.transaction((tx) => makeProbe(tx, 'change-probe'));
  // Earlier releases lease the row for a minute.
  await database.transaction((tx) =>
    tx.run(
      'insert into task_leases (task, token, leased_until) values (?, ?, ?)',
      'change-probe',
      'x',
      Date.now() + 60_000,
    ),
  );
  let accepted = 0;
  database.onOutcome((refusal, use) => {
    if (refusal === null && use === 'change') accepted += 1;
  });
  await probe();
  assert.equal(accepted, 1);
  await probe();
  assert.equal(accepted, 2);
});
