import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAroundDamage } from './damage.ts';

const DATA_CORRUPTED = 'XX001';
const ITEMS = Array.from({ length: 500 }, (_, n) => n);

/** Reads numbers, some of which are damaged. */
async function readNumbers(damaged: readonly number[]) {
  let reads = 0;
  const result = await readAroundDamage(
    ITEMS,
    async (some) => {
      reads += 1;
      if (some.some((n) => damaged.includes(n)))
        throw Object.assign(new Error('invalid page'), { code: DATA_CORRUPTED });
      return some.map(String);
    },
    (n, error) => [`${n}: ${(error as Error).message}`],
  );
  return { reads, result };
}

describe('reading around damage', () => {
  it('reads all items together if none is damaged', async () => {
    assert.deepEqual(await readNumbers([]), { reads: 1, result: ITEMS.map(String) });
  });

  it('finds damaged items with a few reads, and keeps the order', async () => {
    const { reads, result } = await readNumbers([137, 499]);
    const expected = ITEMS.map((n) => (n === 137 || n === 499 ? `${n}: invalid page` : String(n)));
    assert.deepEqual(result, expected);
    assert.ok(reads <= 40, `${reads} reads`);
  });

  it('throws other errors', async () => {
    const read = () => Promise.reject(new Error('gone'));
    await assert.rejects(
      readAroundDamage(ITEMS, read, () => []),
      { message: 'gone' },
    );
  });
});
