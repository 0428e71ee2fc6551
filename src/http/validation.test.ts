import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputErrorsOf } from './validation.ts';

test('errors of a hostile request are found up to a thousand', () => {
  const validation = Array.from({ length: 5_000 }, (_, at) => ({
    keyword: 'type',
    instancePath: `/ids/${at}`,
    schemaPath: '#/properties/ids/items/type',
    params: { type: 'integer' },
    message: 'must be integer',
  }));
  const errors = inputErrorsOf({ validation, validationContext: 'body' });
  assert.equal(errors.length, 1_000);
  assert.deepEqual(errors.at(-1), { pointer: '/ids/999', detail: 'must be an integer' });
});
