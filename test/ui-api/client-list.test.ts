import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Browser,
  createAdministrator,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { requestToken, startTestService, type TestService } from '../support/service.ts';

/** Names that share parts, occur twice, or contain special characters of patterns, with addresses in another order. */
const CLIENTS = [
  ['Alpha', 'z@example.com'],
  ['alpha beta', 'Y@example.com'],
  ['Ärzte', 'x@example.com'],
  ['under_score', 'alpha@example.com'],
  ['under-score', 'b@north.example'],
  ['b*[x]?', 'b@north.example'],
  ['Beta', 'c@north.example'],
  ['zeta 100%', 'd@north.example'],
] as const;

interface Row {
  client_id: string;
  name: string;
  email: string;
  enabled: boolean;
  created_dt: string;
  last_used_dt: string | null;
}

/** ASCII in lower case, as names are ordered. */
const keyOf = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const timeOf = (time: string | null) => (time === null ? 0 : Date.parse(time));
const ORDERS = {
  name: (row: Row) => keyOf(row.name),
  email: (row: Row) => keyOf(row.email),
  created: (row: Row) => timeOf(row.created_dt),
  last_used: (row: Row) => timeOf(row.last_used_dt),
};

function compare(one: string | number, other: string | number): number {
  return typeof one === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
    : one - Number(other);
}

describe('the list of API clients in the admin UI', () => {
  let service: TestService;
  let admin: Browser;
  let all: Row[] = [];

  const list = async (members: Record<string, string | number> = {}) => {
    const query = new URLSearchParams(
      Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return await admin.get(`/ui/api/clients?${query}`);
  };

  aroundTests(async (parts) => {
    let time = Date.now();
    // Each is created and used in a minute of its own.
    service = parts.use(await startTestService({ now: () => time }));
    await createAdministrator(service.settings.data_dir);
    admin = await signedInBrowser(service.url);
    for (const [index, [name, email]] of CLIENTS.entries()) {
      time += 60_000;
      const made = (await admin.post('/ui/api/clients', { name, email, scopes: ['content:read'] })).body;
      if (index % 2 === 0) await requestToken(service.url, made.client_id, made.client_secret);
      if (index % 3 !== 0) continue;
      await admin.put(`/ui/api/clients/${made.client_id}`, {
        name,
        email,
        scopes: ['content:read'],
        enabled: false,
      });
    }
    all = (await list({ limit: 200 })).body.data;
    assert.equal(all.length, CLIENTS.length + 1, 'with the tests’ own');
  });

  test('is searched, ordered and paged like a simple model', async () => {
    const asked = fc.record({
      search: fc.oneof(
        fc.constantFrom('', 'a', 'ALPHA', 'ÄRZ', '%', '_', '*', '[x]', '?', '100', '@NORTH', 'none such'),
        fc.nat(CLIENTS.length - 1).map((at) => ({ at })),
      ),
      sort: fc.constantFrom('name', 'email', 'created', 'last_used'),
      direction: fc.constantFrom('asc', 'desc'),
      state: fc.constantFrom('all', 'enabled', 'disabled'),
      limit: fc.integer({ min: 1, max: 6 }),
      offset: fc.integer({ min: 0, max: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ search, sort, direction, state, limit, offset }) => {
        // The middle of a client's id.
        const text =
          typeof search === 'string' ? search : all[search.at]!.client_id.slice(5, 15).toUpperCase();
        const { status, body } = await list({
          search: text,
          sort,
          direction,
          limit,
          offset,
          ...(state === 'all' ? {} : { state }),
        });
        assert.equal(status, 200);
        const fits = ({ name, email, client_id, enabled }: Row) =>
          [name, email, client_id].some((each) => each.toLowerCase().includes(text.toLowerCase())) &&
          (state === 'all' || enabled === (state === 'enabled'));
        const sign = direction === 'asc' ? 1 : -1;
        const by = ORDERS[sort];
        const expected = all
          .filter(fits)
          .sort((a, b) => sign * (compare(by(a), by(b)) || compare(a.client_id, b.client_id)));
        assert.deepEqual(
          [body.total, body.data.map((row: Row) => row.client_id)],
          [expected.length, expected.slice(offset, offset + limit).map((row) => row.client_id)],
        );
        assert.deepEqual([body.limit, body.offset], [limit, offset]);
      }),
      { numRuns: 150 },
    );
  });

  test('is ordered by name by default; addresses ascend, times descend', async () => {
    const ids = async (members: Record<string, string>) =>
      (await list(members)).body.data.map((row: Row) => row.client_id);
    assert.deepEqual(await ids({}), await ids({ sort: 'name', direction: 'asc' }));
    assert.deepEqual(await ids({ sort: 'email' }), await ids({ sort: 'email', direction: 'asc' }));
    assert.deepEqual(await ids({ sort: 'last_used' }), await ids({ sort: 'last_used', direction: 'desc' }));
  });

  test('shows each client as its own address does, without its secret', async () => {
    for (const row of all) {
      assert.deepEqual((await admin.get(`/ui/api/clients/${row.client_id}`)).body, row);
    }
    assert.doesNotMatch(JSON.stringify(all), /secret|hash|generation/);
  });

  test('rejects unknown members', async () => {
    for (const members of [
      { sort: 'scopes' },
      { state: 'in_error' },
      { limit: 0 },
      { limit: 201 },
      { offset: -1 },
      { search: '\0' },
      { cursor: 'x' },
    ]) {
      assert.equal(
        (await list(members as Record<string, string | number>)).status,
        400,
        JSON.stringify(members),
      );
    }
  });

  test('is only for administrators', async () => {
    await createAdministrator(service.settings.data_dir, { email: VIEWER_EMAIL, role: 'viewer' });
    const viewer = await signedInBrowser(service.url, VIEWER_EMAIL);
    const id = all[0]!.client_id;
    for (const path of ['/ui/api/clients', `/ui/api/clients/${id}`]) {
      assert.equal((await viewer.get(path)).status, 403, path);
      assert.equal((await service.api.get(path)).status, 403, path);
    }
  });
});
