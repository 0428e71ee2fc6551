import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COMMAND_LINE, unknownActor } from '../../src/audit/actor.ts';
import { AuditLog } from '../../src/audit/audit-log.ts';
import type { AuditFilter } from '../../src/audit/audit-store.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { openTestDatabase } from '../support/database.ts';

const ALL: AuditFilter = {
  user: null,
  actorType: null,
  actions: null,
  objectType: null,
  objectId: null,
  from: null,
  to: null,
};

it('the audit log lists entries from one time up to, but not including, another, even those of an instance whose clock is slow', async () => {
  await using test = await openTestDatabase();
  const { database } = test;
  for (const at of [100, 300, 200]) {
    const change = { by: COMMAND_LINE, action: 'ACCOUNT_CREATED', id: at, name: `at ${at}` } as const;
    await database.transaction((tx) => recordAudit(tx, change, at));
  }
  const audit = new AuditLog({ database, days: 1, now: () => 300 });
  const listed = async (times: Partial<AuditFilter>, limit = 10) => {
    const names: (string | null)[] = [];
    let after: number | null = null;
    do {
      const page = await audit.list({ ...ALL, ...times }, { limit, after });
      names.push(...page.items.map(({ object_name: name }) => name));
      after = page.next;
    } while (after !== null);
    return names;
  };
  assert.deepEqual(await listed({}), ['at 200', 'at 300', 'at 100']);
  for (const limit of [1, 10]) {
    assert.deepEqual(await listed({ to: 300 }, limit), ['at 200', 'at 100']);
    assert.deepEqual(await listed({ to: 200 }, limit), ['at 100']);
    assert.deepEqual(await listed({ to: 100 }, limit), []);
    assert.deepEqual(await listed({ from: 200 }, limit), ['at 200', 'at 300']);
    assert.deepEqual(await listed({ from: 200, to: 201 }, limit), ['at 200']);
  }
});

it('an audit entry shows a plain IPv4 address, even if the server also listens on IPv6', async () => {
  await using test = await openTestDatabase();
  const { database } = test;
  const by = unknownActor('::ffff:192.0.2.7');
  const change = { by, action: 'ACCOUNT_CREATED', id: 1, name: 'Northwind' } as const;
  await database.transaction((tx) => recordAudit(tx, change, 100));
  const { items } = await new AuditLog({ database, days: 1, now: () => 100 }).list(ALL, {
    limit: 10,
    after: null,
  });
  assert.deepEqual(
    items.map(({ address }) => address),
    ['192.0.2.7'],
  );
});
