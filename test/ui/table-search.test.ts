import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historySearch } from '../../web/src/pages/webhooks/history/history-search.ts';
import { listQuery, tableSearch } from '../../web/src/utilities/table-search.ts';

const check = tableSearch({
  sorts: ['name'],
  filters: { state: ['on', 'off'] },
  ids: ['account_id'],
  texts: ['learner'],
  times: ['from'],
});

/** As the router does: what the check answers is laid over what the address holds. */
const inAddress = (given: Record<string, unknown>) => ({ ...given, ...check(given) });
const defined = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

test('the address of a list is parsed into numbers and choices', () => {
  assert.deepEqual(
    inAddress({
      search: ' fire ',
      sort: 'name',
      direction: 'desc',
      page: '3',
      size: '100',
      state: 'on',
      account_id: '7',
      learner: ' Ada',
    }),
    {
      search: 'fire',
      sort: 'name',
      direction: 'desc',
      page: 3,
      size: 100,
      state: 'on',
      account_id: 7,
      learner: ' Ada',
    },
  );
});

test('every id that a record can have is kept in the address', () => {
  const largest = Number.MAX_SAFE_INTEGER;
  assert.equal(check({ account_id: String(largest) }).account_id, largest);
  assert.equal(check({ account_id: String(largest + 1) }).account_id, undefined);
});

test('unknown and out-of-range values of an address are ignored', () => {
  const hostile = {
    search: '  ',
    sort: 'password',
    direction: 'up',
    page: '-1',
    size: '7',
    state: 'x',
    account_id: '1e9',
    learner: 'x'.repeat(256),
    from: '2026-13-01T00:00Z',
    q: '<b>',
  };
  assert.deepEqual(defined(inAddress(hostile)), {});
  assert.deepEqual(defined(listQuery(inAddress(hostile))), { limit: 50, offset: 0 });
});

test('texts of an address have as many characters as the service allows, though an emoji has two units', () => {
  const longest = '🎓'.repeat(255);
  assert.equal(inAddress({ learner: longest }).learner, longest);
  assert.equal(inAddress({ learner: `${longest}x` }).learner, undefined);
  assert.deepEqual(historySearch({ learner: longest, message: longest }), {
    learner: longest,
    message: longest,
  });
  assert.deepEqual(historySearch({ learner: `${longest}x`, message: `${longest}x` }), {});
});

test('a search has the first 200 characters of an address, and none of them is cut', () => {
  assert.equal(inAddress({ search: `${'🎓'.repeat(200)}x` }).search, '🎓'.repeat(200));
  assert.equal(inAddress({ search: `${'x'.repeat(199)}🎓🎓` }).search, `${'x'.repeat(199)}🎓`);
});

test('times of an address are times with a zone, to the minute where that is exact', () => {
  assert.deepEqual(inAddress({ from: '2026-11-25T14:00+01:00' }), { from: '2026-11-25T13:00Z' });
  assert.deepEqual(inAddress({ from: '2026-11-25T13:00:07Z' }), { from: '2026-11-25T13:00:07.000Z' });
  for (const from of ['5', '2026-11-25', '202611-11-21T02:15', '2026-02-30T99:00'])
    assert.equal(inAddress({ from }).from, undefined, from);
});

test('times of an address that have no zone are local, because earlier versions wrote them', (t) => {
  const { TZ } = process.env;
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  process.env.TZ = 'Europe/Berlin';
  assert.deepEqual(inAddress({ from: '2026-07-01T14:05' }), { from: '2026-07-01T12:05Z' });
});

test('control characters of a search count as spaces, because cells of a spreadsheet are pasted with tabs', () => {
  assert.deepEqual(inAddress({ search: 'Acme\t42\u0000\u007f' }), { search: 'Acme 42' });
});

test('the third page of a hundred rows begins after two hundred', () => {
  assert.deepEqual(listQuery({ page: 3, size: 100 }), { limit: 100, offset: 200 });
});
