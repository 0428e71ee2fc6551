import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_COUNTED } from './list-limits.ts';
import { bounded } from './read-list.ts';

it('the total of a long list is a lower bound only if there are more rows than are counted', () => {
  assert.deepEqual(bounded(MAX_COUNTED), { total: MAX_COUNTED, totalIsLowerBound: false });
  assert.deepEqual(bounded(MAX_COUNTED + 1), { total: MAX_COUNTED, totalIsLowerBound: true });
});
