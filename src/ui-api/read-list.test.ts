import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_COUNTED } from './list-limits.ts';
import { bounded } from './read-list.ts';

it('a long list has more rows than were counted only if one more than the bound was found', () => {
  assert.deepEqual(bounded(MAX_COUNTED), { total: MAX_COUNTED, totalIsLowerBound: false });
  assert.deepEqual(bounded(MAX_COUNTED + 1), { total: MAX_COUNTED, totalIsLowerBound: true });
});
