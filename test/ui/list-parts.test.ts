import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListResponse } from '../../src/ui-api/list-query.ts';
import { Connection } from '../../web/src/api/connection.ts';
import { createQueryClient, fetchCurrent } from '../../web/src/api/query-client.ts';
import { listParts, type PartOfList } from '../../web/src/components/list-parts.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService, until } from '../support/service.ts';

interface Row {
  id: number;
  name: string;
}

const ROWS = 401;

describe('a whole list that is read while it changes', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
  });

  /** Finds accounts, ordered by their names and then by their creation. */
  async function accountsOf(search: string): Promise<number[]> {
    const ids: number[] = [];
    for (let at = 0; at < ROWS; at += 1) {
      const name = `${search} ${String(at).padStart(3, '0')}`;
      ids.push((await service.api.create('/accounts', { name })).id);
    }
    return ids;
  }

  /** The ids of the rows that were read, each at its first place. `meanwhile` runs after the first request. */
  async function read(
    search: string,
    order: { sort: string; direction: string },
    meanwhile: () => Promise<unknown> = async () => {},
    counted: (total: number) => number = (total) => total,
  ): Promise<number[]> {
    let [requests, reads] = [0, 0];
    const client = createQueryClient(new Connection());
    const request = async (part: PartOfList): Promise<ListResponse<Row>> => {
      if (requests === 1) await meanwhile();
      requests += 1;
      const query = new URLSearchParams(
        Object.entries({ search, ...order, ...part }).map(([name, value]) => [name, String(value)]),
      );
      const { status, body } = await service.api.get(`/ui/api/accounts?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return { ...body, total: counted(body.total) };
    };
    const list = (part: PartOfList) => {
      reads += 1;
      assert.ok(reads < 20, 'it comes to an end');
      return fetchCurrent(client, { queryKey: ['accounts', part], queryFn: () => request(part) });
    };
    const options = { sort: order.sort, steadySort: 'created', keyOf: ({ id }: Row) => id };
    const found = new Map<number, Row>();
    for await (const { rows } of listParts(list, options)) for (const row of rows) found.set(row.id, row);
    client.clear();
    return [...found.keys()];
  }
  const rename = (id: number, name: string) => service.api.put(`/accounts/${id}`, { name });
  const remove = async (ids: readonly number[]) => {
    for (const id of ids) assert.equal((await service.api.delete(`/accounts/${id}`)).status, 204);
  };

  it('has all its rows, in the order of the table, if nothing changes', async () => {
    const ids = await accountsOf('calm');
    assert.deepEqual(await read('calm', { sort: 'name', direction: 'desc' }), ids.toReversed());
    assert.deepEqual(await read('calm', { sort: 'created', direction: 'asc' }), ids);
    assert.deepEqual(await read('nothing of the kind', { sort: 'created', direction: 'asc' }), []);
  });

  it('has the last row although another one is deleted after a page was read, and before the rows are counted', async () => {
    const ids = await accountsOf('counted');
    await remove(ids.slice(0, 1));
    const order = { sort: 'created', direction: 'asc' };
    const found = await read('counted', order, undefined, (total) => total - 1);
    assert.deepEqual(found, ids.slice(1));
  });

  it('has a row that moves to a page that was read before', async () => {
    const ids = await accountsOf('moving');
    const late = ids[5]!;
    const found = await read('moving', { sort: 'updated', direction: 'desc' }, () =>
      rename(late, 'moving late'),
    );
    assert.deepEqual(found, [...ids.toReversed().filter((id) => id !== late), late]);
  });

  it('has the rows that move forward because others before them are deleted', async () => {
    const ids = await accountsOf('shrinking');
    const [first, middle, last] = [ids.slice(0, 1), ids.slice(1, 151), ids.slice(301)];
    for (const [gone, order] of [
      [first, { sort: 'name', direction: 'asc' }],
      [middle, { sort: 'created', direction: 'asc' }],
      [last, { sort: 'created', direction: 'desc' }],
    ] as const) {
      const found = new Set(await read('shrinking', order, () => remove(gone)));
      const left = await read('shrinking', { sort: 'created', direction: 'asc' });
      assert.deepEqual(
        left.filter((id) => !found.has(id)),
        [],
        JSON.stringify(order),
      );
    }
    assert.equal((await read('shrinking', { sort: 'name', direction: 'asc' })).length, ROWS - 251);
  });

  it('is not kept in memory, since it may be long', async () => {
    const client = createQueryClient(new Connection());
    await fetchCurrent(client, { queryKey: ['accounts'], queryFn: async () => ['an account'] });
    await until(async () => client.getQueryCache().getAll().length === 0, 'nothing is kept');
    client.clear();
  });
});
