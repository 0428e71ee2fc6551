import assert from 'node:assert/strict';
import type { Answer } from './service.ts';

/** More than any list of a test has, so that one that never ends is noticed. */
const MOST_PAGES = 1_000;

/**
 * Calls a list, or an action that works in steps, until there is no next page or step. Yields the body of each response.
 * @param call makes one call, such as `(address) => api.get(address)`
 * @param address of the first call; the cursor is added to the others
 */
export async function* eachPage(
  call: (address: string) => Promise<Answer>,
  address: string,
): AsyncGenerator<Answer['body']> {
  let next = address;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { status, body } = await call(next);
    assert.ok(status === 200 || status === 202, JSON.stringify(body).slice(0, 500));
    yield body;
    if (body.next_cursor === null) return;
    next = `${address}${address.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  assert.fail(`${address} has more than ${MOST_PAGES} pages`);
}

/** All records of a list. */
export async function readWhole(
  call: (address: string) => Promise<Answer>,
  list: string,
): Promise<Answer['body'][]> {
  const records = [];
  for await (const { data } of eachPage(call, list)) records.push(...data);
  return records;
}
